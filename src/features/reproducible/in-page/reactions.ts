/** Callbacks in a row that may still react to events after the end, such as a new window size. */
const MOST_REACTIONS = 2;

let hasEnded = false;
let depth = 0; // of the callback that runs

/** Ends the time of the page: what was requested before runs no more. */
export function endReactions(): void {
  hasEnded = true;
}

export function hasTimeEnded(): boolean {
  return hasEnded;
}

/** Returns a function that tells whether a callback may run that is requested now. */
export function isReaction(): (isRepeated: boolean) => boolean {
  const wasOver = hasEnded;
  const mine = depth + 1;
  return (isRepeated) => !hasEnded || (wasOver && !isRepeated && mine <= MOST_REACTIONS);
}

/** Runs a callback, if it may run. */
export function reacting(mayRun: () => boolean, run: () => void): void {
  if (!mayRun()) return;
  const before = depth;
  depth = hasEnded ? depth + 1 : 0;
  try {
    run();
  } finally {
    depth = before;
  }
}
