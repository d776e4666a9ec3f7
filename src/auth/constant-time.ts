import { hash, timingSafeEqual } from 'node:crypto';

/** Like `equalInConstantTime`, for a secret that is compared often: hashes it once. */
export function createConstantTimeEqual(expected: string): (given: string) => boolean {
  const digest = sha256(expected);
  return (given) => timingSafeEqual(sha256(given), digest);
}

/**
 * Compares two texts in a time that reveals neither the first difference nor the length of the secret. Both are hashed first, because
 * timingSafeEqual throws on different lengths.
 */
export function equalInConstantTime(given: string, expected: string): boolean {
  return createConstantTimeEqual(expected)(given);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
