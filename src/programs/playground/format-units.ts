/** Formats a size in bytes. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${toShort(bytes / 1_000)} KB`;
  return `${toShort(bytes / 1_000_000)} MB`;
}

/** Formats a time in milliseconds. */
export function timeInWords(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** Formats a duration with its two largest units. */
export function durationInWords(ms: number): string {
  if (ms < 60_000) return timeInWords(Math.max(0, ms));
  const seconds = Math.round(ms / 1_000);
  const inUnits: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = inUnits.findIndex(([amount]) => amount > 0);
  const two = inUnits.slice(first, first + 2).filter(([amount]) => amount > 0);
  return two.map(([amount, unit]) => `${amount} ${unit}`).join(' ');
}

/** Returns the usual name of a media type. */
export function formatInWords(mediaType: string): string {
  const [type = ''] = mediaType.split(';');
  return type
    .replace(/^multipart\/related$/, 'mhtml')
    .replace(/^.*\//, '')
    .trim()
    .toUpperCase();
}

/** Parses the metrics of a Server-Timing header in their order. */
export function parseServerTiming(header: string): readonly { readonly name: string; readonly ms: number }[] {
  return header.split(',').flatMap((metric) => {
    const [, name, ms] = /^\s*([\w-]+)\s*;\s*dur=([\d.]+)/.exec(metric) ?? [];
    return name === undefined || ms === undefined ? [] : [{ name, ms: Number(ms) }];
  });
}

function toShort(amount: number): string {
  return amount < 10 ? amount.toFixed(1) : `${Math.round(amount)}`;
}
