import { KnownDevices } from 'puppeteer';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { parseOptions, readTextFields } from '../../../src/core/capture/request/parse-options.ts';
import { DEVICES, identityOfDevice } from '../../../src/core/steps/device.ts';
import { appWith } from '../../support/app.ts';

const LIMITS = { maxWaitMs: 60_000 };
const url = 'https://example.com/';
const IPHONE = {
  device: 'iPhone 15 Pro',
  window_width: 393,
  window_height: 659,
  pixel_density: 3,
  is_mobile: true,
  has_touch: true,
  user_agent: expect.stringContaining('iPhone'),
};

describe('the field device', () => {
  it.each(['iPhone 15 Pro', 'iphone 15 pro', 'IPHONE 15 PRO'])('sets the fields of %s', (device) => {
    expect(parseOptions({ url, device }, LIMITS).capture).toMatchObject(IPHONE);
    const text = readTextFields(new Map(Object.entries({ url, device })));
    expect(parseOptions(text, LIMITS).capture).toMatchObject(IPHONE);
  });

  it('leaves the fields that the request has', () => {
    const own = { window_width: 800, is_mobile: false, user_agent: 'own' };

    expect(parseOptions({ url, device: 'iPhone 15 Pro', ...own }, LIMITS).capture).toMatchObject({
      ...IPHONE,
      ...own,
    });
  });

  // A text of 10 MB was compared with all names: it blocked the process for a minute.
  it('compares no text that is too long', () => {
    expect(() => parseOptions({ url, device: 'x'.repeat(101) }, LIMITS)).toThrow(
      expect.objectContaining({ details: 'device: must be the name of a device' }),
    );
  });

  it.each([
    ['iPhone 15 Por', 'device: is not a known device, the nearest are iPhone 15 Pro, '],
    ['', 'device: is not a known device, the nearest are '],
    [15, 'device: must be the name of a device'],
  ])('refuses %j with the nearest names', (device, details) => {
    expect(() => parseOptions({ url, device }, LIMITS)).toThrow(
      expect.objectContaining({ details: expect.stringContaining(details) }),
    );
  });

  it('knows every device of Puppeteer and current phones, with values that requests may have', () => {
    const names = DEVICES.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([...Object.keys(KnownDevices), 'Pixel 7', 'Pixel 10 Pro landscape', 'Galaxy S25 Ultra']),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const { name, ...fields } of DEVICES) {
      expect(parseOptions({ url, ...fields }, LIMITS).capture).toMatchObject(fields);
      expect(parseOptions({ url, device: name }, LIMITS).capture).toMatchObject(fields);
    }
  });

  it('is listed by GET /devices', async () => {
    const { status, body } = await request(appWith()).get('/devices');

    expect(status).toBe(200);
    expect(body.devices).toHaveLength(DEVICES.length);
    expect(body.devices).toContainEqual({
      name: 'iPhone 15 Pro',
      width: 393,
      height: 659,
      pixel_density: 3,
      mobile: true,
      touch: true,
      user_agent: IPHONE.user_agent,
    });
  });

  it('has the platform of the device, and client hints only where browsers have them', () => {
    const identities = Object.fromEntries(DEVICES.map((each) => [each.name, identityOfDevice(each)]));

    expect(identities['iPhone 15 Pro']).toEqual({ userAgent: expect.stringContaining('iPhone'), platform: 'iPhone' });
    expect(identities['iPad Pro 11']?.platform).toMatch(/^iPad$|^MacIntel$/);
    expect(identities['Pixel 5']).toMatchObject({
      platform: 'Linux armv8l',
      userAgentMetadata: { platform: 'Android', mobile: true, model: 'Pixel 5' },
    });
  });
});
