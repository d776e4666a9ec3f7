/** One value of an exposition. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  untyped: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};
const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const META = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/;
const VALUE = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|Nan|NaN)$/;

/**
 * Parses Prometheus' text format, version 0.0.4, as strictly as its specification. Each metric has one HELP and one
 * TYPE before its samples, and its lines together. Series are unique, counters end in `_total`, and buckets only grow.
 * @throws Error naming the line.
 */
export function readExposition(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const groups: { readonly name: string; readonly samples: Sample[] }[] = [];
  const series = new Set<string>();

  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, named = '', rest = ''] = META.exec(line) ?? [];
    if (keyword === undefined) {
      const sample = readSample(line);
      const group = groups.at(-1);
      if (group === undefined || !belongs(sample.name, group.name, types.get(group.name)))
        throw new Error(`not among the lines of its metric: ${line}`);
      const id = JSON.stringify([sample.name, Object.entries(sample.labels).map(String).toSorted()]);
      if (series.has(id)) throw new Error(`twice: ${line}`);
      series.add(id);
      group.samples.push(sample);
    } else if (keyword === 'HELP') {
      if (helped.has(named)) throw new Error(`a second HELP: ${line}`);
      helped.add(named);
      groups.push({ name: named, samples: [] });
    } else {
      if (types.has(named) || groups.at(-1)?.name !== named || !(rest in SUFFIXES))
        throw new Error(`a TYPE that does not follow its HELP, or none: ${line}`);
      types.set(named, rest);
    }
  }
  for (const { name, samples } of groups) checkGroup(name, types.get(name), samples);
  return groups.flatMap(({ samples }) => samples);
}

function readSample(line: string): Sample {
  const [, name, labelText = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !VALUE.test(value)) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = labelText; rest !== '';) {
    const [all, label, text = ''] = LABEL.exec(rest) ?? [];
    if (all === undefined || label === undefined || label in labels) throw new Error(`wrong labels: ${line}`);
    labels[label] = text;
    rest = rest.slice(all.length);
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function belongs(sample: string, metric: string, type: string | undefined): boolean {
  return (SUFFIXES[type ?? ''] ?? []).some((suffix) => sample === metric + suffix);
}

function checkGroup(name: string, type: string | undefined, samples: readonly Sample[]): void {
  if (type === undefined) throw new Error(`no TYPE: ${name}`);
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`a ${type} named ${name}`);
  if (name.endsWith(`_${type}`)) throw new Error(`a type in the name: ${name}`);
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`below zero: ${name}`);
  if (type !== 'histogram') return;
  const counts = samples.filter((sample) => sample.name === `${name}_count`);
  for (const { labels, value } of counts) {
    const buckets = samples.filter(
      (sample) =>
        sample.name === `${name}_bucket` &&
        Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
    );
    const grows = buckets.every(({ value: count }, index) => count >= (buckets[index - 1]?.value ?? 0));
    const last = buckets.at(-1);
    if (!grows || last?.labels['le'] !== '+Inf' || last.value !== value)
      throw new Error(`buckets that do not add up: ${name}`);
  }
}
