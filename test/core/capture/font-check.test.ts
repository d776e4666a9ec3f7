import { describe, expect, it } from 'vitest';
import { describeMissing } from '../../../src/core/capture/font-check.ts';

describe('missing fonts', () => {
  it('are reported per script with the packages to install, each once', () => {
    expect(describeMissing(['Thai', 'Chinese', 'Korean', 'Tamil'])).toBe(
      'no font on this machine for Thai, Chinese, Korean, Tamil: such text will be unreadable; install fonts for them ' +
        '(on Debian and Ubuntu: apt-get install fonts-noto-core fonts-noto-cjk)',
    );
  });
});
