import { make } from '../dom.ts';
import { parseServerTiming, timeInWords } from '../format-units.ts';

/** A bar with the time of each phase, and its legend. */
export function timingBar(serverTiming: string): HTMLElement | undefined {
  const phases = parseServerTiming(serverTiming);
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return undefined;
  const pieces = phases.flatMap(({ ms }, index) => {
    if (ms < 0.5) return [];
    const piece = make('span', { class: `piece phase-${index % 4}` });
    piece.style.flexGrow = `${ms}`;
    return piece;
  });
  const legend = phases.map(({ name, ms }, index) =>
    make(
      'div',
      {},
      make('dt', {}, make('span', { class: `swatch phase-${index % 4}`, 'aria-hidden': 'true' }), name),
      make('dd', {}, timeInWords(ms)),
    ),
  );
  return make(
    'section',
    { class: 'timing', 'aria-label': `Server timing, ${timeInWords(total)} in all` },
    make('div', { class: 'timing-bar', 'aria-hidden': 'true' }, ...pieces),
    make('dl', { class: 'timing-legend' }, ...legend),
  );
}
