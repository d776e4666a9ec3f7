import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { detailsFor } from '../../../src/core/access/operator-hint.ts';

const error = (details?: string) =>
  new ServiceError('DestinationNotAllowedError', undefined, {
    hint: 'add a.test to EGRESS_ALLOW',
    ...(details !== undefined && { details }),
  });

describe('detailsFor', () => {
  it('has the hint for the operator, who has the default key or needs none', () => {
    expect(detailsFor(error(), undefined)).toBe('add a.test to EGRESS_ALLOW');
    expect(detailsFor(error('captures[1]'), { id: 'default' })).toBe('captures[1]: add a.test to EGRESS_ALLOW');
  });

  it('tells clients with a key of their own nothing', () => {
    expect(detailsFor(error(), { id: 'shop' })).toBeUndefined();
    expect(detailsFor(error('captures[1]'), { id: 'shop' })).toBe('captures[1]');
    expect(detailsFor(new ServiceError('ValidationError'), undefined)).toBeUndefined();
  });
});
