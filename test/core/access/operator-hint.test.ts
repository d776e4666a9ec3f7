import { describe, expect, it } from 'vitest';
import { operatorHint } from '../../../src/core/access/operator-hint.ts';

describe('operatorHint', () => {
  it('names the setting for the operator, who has the default key or needs none', () => {
    const hint =
      'the setting EGRESS_ALLOW names what pages may open besides public addresses; EGRESS_ONLY, if set, names all';

    expect(operatorHint('DestinationNotAllowedError', undefined)).toBe(hint);
    expect(operatorHint('DestinationNotAllowedError', { id: 'default' })).toBe(hint);
  });

  it('tells clients with a key of their own nothing', () => {
    expect(operatorHint('DestinationNotAllowedError', { id: 'shop' })).toBeUndefined();
    expect(operatorHint('ValidationError', undefined)).toBeUndefined();
  });
});
