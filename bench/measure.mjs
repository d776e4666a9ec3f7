import { quantile } from './statistics.mjs';

const SETTLE_MS = 250; // clean-up after a round, mostly closing pages, must not slow the next contender

/**
 * Measures every configuration. In each, the contenders alternate (A B C, A B C, ...), so that other load on the
 * machine affects all of them. Ratios compare neighbours in time. Sequential and bounded: see runRound.
 */
export async function measure(contenders, configurations, { captures, rounds, sitePort, report }) {
  const results = [];
  for (const { job, title, clients } of configurations) {
    const order = { job, sitePort, clients, captures };
    for (const contender of contenders) await contender.run({ ...order, captures: 1 }); // warm-up, not counted
    const runs = contenders.map(() => []);
    for (let round = 1; round <= rounds; round++) {
      for (const [index, contender] of contenders.entries()) runs[index].push(await runOnce(contender, order));
      const speeds = contenders.map(({ label }, index) => `${label} ${runs[index].at(-1).perSecond.toFixed(1)}`);
      report(`${title}, clients: ${clients}, round ${round} of ${rounds}, captures/s: ${speeds.join('; ')}`);
    }
    results.push({
      job,
      title,
      clients,
      contenders: contenders.map(({ label }, index) => summarise(label, runs[index], runs[0])),
    });
  }
  return results;
}

async function runOnce(contender, order) {
  await new Promise((resolve) => {
    setTimeout(resolve, SETTLE_MS);
  });
  const before = await contender.tree?.cpuMs();
  const round = await contender.run(order);
  const after = await contender.tree?.cpuMs();
  return { ...round, p50: quantile(round.durations, 0.5), cpuMs: (after - before) / round.completed };
}

function summarise(label, runs, ours) {
  const durations = runs.flatMap((run) => run.durations);
  const isOurs = runs === ours;
  return {
    label,
    perSecond: quantile(
      runs.map(({ perSecond }) => perSecond),
      0.5,
    ),
    p50: quantile(durations, 0.5),
    p95: quantile(durations, 0.95),
    cpuMs: quantile(
      runs.map(({ cpuMs }) => cpuMs),
      0.5,
    ),
    kilobytes: quantile(
      runs.map(({ meanBytes }) => meanBytes / 1000),
      0.5,
    ),
    speedRatio: isOurs ? undefined : ratioOf(ours, runs, ({ perSecond }) => perSecond),
    p50Ratio: isOurs ? undefined : ratioOf(ours, runs, ({ p50 }) => p50),
    failures: runs.reduce((sum, { failures }) => sum + failures, 0),
    firstFailure: runs.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure,
    rounds: runs,
  };
}

/** Ratios of the service to a contender by round: the median, the lowest and the highest. */
function ratioOf(ours, theirs, figure) {
  const ratios = ours.map((run, index) => figure(run) / figure(theirs[index])).filter(Number.isFinite);
  return { median: quantile(ratios, 0.5), min: Math.min(...ratios), max: Math.max(...ratios) };
}
