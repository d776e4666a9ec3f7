import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { STATEMENTS } from './schema.ts';

export type Statements = Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

/** Prepares all statements. @throws Error for a database without our tables or columns. */
export function prepareAll(database: DatabaseSync): Statements {
  const prepared = Object.entries(STATEMENTS).map(([name, text]) => [name, database.prepare(text)]);
  return Object.fromEntries(prepared);
}

/** True if there was a row to change. */
export function changes(statement: StatementSync, ...values: SQLInputValue[]): boolean {
  return statement.run(...values).changes > 0;
}

/**
 * Returns a function that serves owners in turn, so that the rows of one do not delay those of others.
 * @param ownersInTurn query for the owners with rows that are due at a time, beginning with the one after a given owner
 */
export function createFairOrder(ownersInTurn: StatementSync) {
  let served: SQLOutputValue = '';
  return <T>(nowMs: number, skipped: readonly string[], serve: (owner: SQLOutputValue) => T): T | undefined => {
    const owners = ownersInTurn.all(nowMs, served).map(({ owner = null }) => owner);
    const next = owners.find((owner) => !skipped.includes(String(owner)));
    if (next === undefined) return undefined;
    served = next;
    return serve(next);
  };
}
