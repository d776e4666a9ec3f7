import { createTurns, type Turns } from '../../turns.ts';

/** As `Turns`, for each path apart: what is done to one path never overlaps. */
export function createPathTurns(): <T>(path: string, work: () => Promise<T>) => Promise<T> {
  const waiting = new Map<string, { readonly inTurn: Turns; count: number }>();

  return async (path, work) => {
    const turns = waiting.get(path) ?? { inTurn: createTurns(), count: 0 };
    waiting.set(path, turns);
    turns.count++;
    try {
      return await turns.inTurn(work);
    } finally {
      turns.count--;
      if (turns.count === 0) waiting.delete(path);
    }
  };
}
