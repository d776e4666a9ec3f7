import { UnexpectedAnswerError } from './capture-error.ts';

/**
 * Reads the JSON of an answer.
 * @throws UnexpectedAnswerError if it is none, such as a page of a proxy; TypeError if the connection broke
 */
export async function readJson(response: Response): Promise<unknown> {
  return parseJson(await response.text(), response.status);
}

/** @throws UnexpectedAnswerError if the text of an answer is no JSON */
export function parseJson(text: string, status: number): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnexpectedAnswerError(status, {});
  }
}

/** Returns the members of a JSON object, or none for other values. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
