/** A size in bytes, as people say it. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${toShort(bytes / 1_000)} KB`;
  return `${toShort(bytes / 1_000_000)} MB`;
}

/** A time in milliseconds, as people say it. */
export function timeInWords(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** What the service says took how long: the metrics of a Server-Timing header, in its order. */
export function parseServerTiming(header: string): readonly { readonly name: string; readonly ms: number }[] {
  return header.split(',').flatMap((metric) => {
    const [, name, ms] = /^\s*([\w-]+)\s*;\s*dur=([\d.]+)/.exec(metric) ?? [];
    return name === undefined || ms === undefined ? [] : [{ name, ms: Number(ms) }];
  });
}

function toShort(amount: number): string {
  return amount < 10 ? amount.toFixed(1) : `${Math.round(amount)}`;
}
