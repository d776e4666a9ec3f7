import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Compares two texts in a time that reveals neither the first difference nor the length of the secret. Both are hashed
 * first, because timingSafeEqual throws on different lengths.
 */
export function equalInConstantTime(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
