import { type Device as KnownDevice, KnownDevices } from 'puppeteer';
import { z } from 'zod';
import { fieldsOf } from './common/fields.ts';
import { CURRENT_PHONES, type Phone } from './current-phones.ts';
import { brandsOf, type Identity } from '../browser/identity.ts';
import { byLikeness } from '../ground/nearest.ts';

const MAX_NAME_LENGTH = 100;
const NEAREST = 3;
/** Version of the browser on phones of `CURRENT_PHONES`. */
const CHROME = '142.0.0.0';

/** A device that pages can be shown on. Fields have the names of the request fields that it sets. */
export interface Device {
  readonly name: string;
  readonly window_width: number;
  readonly window_height: number;
  readonly pixel_density: number;
  readonly is_mobile: boolean;
  readonly has_touch: boolean;
  readonly user_agent: string;
}

/** All devices that Puppeteer knows, and the current phones that it does not know. */
export const DEVICES: readonly Device[] = [
  ...Object.entries<KnownDevice>(KnownDevices).map(([name, { userAgent, viewport }]) => ({
    name,
    window_width: viewport.width,
    window_height: viewport.height,
    pixel_density: viewport.deviceScaleFactor ?? 1,
    is_mobile: viewport.isMobile ?? false,
    has_touch: viewport.hasTouch ?? false,
    user_agent: userAgent,
  })),
  ...CURRENT_PHONES.filter(({ name }) => !Object.hasOwn(KnownDevices, name)).flatMap(toDevices),
];

/** Returns a phone upright and turned. */
function toDevices({ name, model, android, width, height, density }: Phone): readonly Device[] {
  const upright = {
    name,
    window_width: width,
    window_height: height,
    pixel_density: density,
    is_mobile: true,
    has_touch: true,
    user_agent: `Mozilla/5.0 (Linux; Android ${android}; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${CHROME} Mobile Safari/537.36`,
  };
  return [upright, { ...upright, name: `${name} landscape`, window_width: height, window_height: width }];
}

const BY_NAME = new Map(DEVICES.map((device) => [device.name.toLowerCase(), device]));

export const device = {
  schema: fieldsOf('area', {
    device: z
      .string({ error: 'must be the name of a device' })
      // checked first, so that long texts are not compared
      .max(MAX_NAME_LENGTH, { error: 'must be the name of a device', abort: true })
      .overwrite((name) => findDevice(name)?.name ?? name)
      .refine((name) => findDevice(name) !== undefined, {
        error: ({ input }) => describeUnknown(String(input)),
      })
      .meta({
        description:
          'Show the page as on this device: window, density, touch, user agent. Fields of the request override it. `GET /devices` lists the names',
        example: 'iPhone 15 Pro',
        accepts: 'name of a device, in any case',
      })
      .optional(),
  }),
};

/** Returns the device of a name, in any case. */
export function findDevice(name: string | undefined): Device | undefined {
  return name === undefined ? undefined : BY_NAME.get(name.toLowerCase());
}

/** Names of the fields that a device sets. */
export const DEVICE_FIELDS: readonly string[] = Object.keys(DEVICES[0] ?? {}).filter((name) => name !== 'name');

/** Sets the fields of the device, except those that the request has itself. */
export function withDevice<T extends { readonly device?: string | undefined }>(
  options: T,
  isNamed: (field: string) => boolean,
): T {
  const found = findDevice(options.device);
  if (found === undefined) return options;
  const { name: _, ...fields } = found;
  const unset = Object.entries(fields).filter(([field]) => !isNamed(field));
  return { ...options, ...Object.fromEntries(unset) };
}

/** Returns the identity of a device's browser. Only browsers based on Chromium have client hints. */
export function identityOfDevice({ user_agent: userAgent, is_mobile: isMobile }: Device): Identity {
  const [, version] = /\bChrome\/([\d.]+)/.exec(userAgent) ?? [];
  const [, androidVersion, model = ''] = /\bAndroid ([\d.]+); ([^;)]+?)(?: Build|[;)])/.exec(userAgent) ?? [];
  const platform = platformOf(userAgent);
  if (version === undefined || androidVersion === undefined) return { userAgent, platform };
  return {
    userAgent,
    platform,
    userAgentMetadata: {
      brands: brandsOf(version.split('.', 1)[0] ?? version),
      fullVersionList: brandsOf(version),
      platform: 'Android',
      platformVersion: androidVersion,
      architecture: '',
      model,
      mobile: isMobile,
    },
  };
}

function platformOf(userAgent: string): string {
  const [, apple] = /\b(iPhone|iPad|iPod)\b/.exec(userAgent) ?? [];
  if (apple !== undefined) return apple;
  if (userAgent.includes('Macintosh')) return 'MacIntel';
  return userAgent.includes('Windows') ? 'Win32' : 'Linux armv8l';
}

function describeUnknown(name: string): string {
  const known = new Map(DEVICES.map((device) => [withoutSpaces(device.name), device.name]));
  const nearest = byLikeness(withoutSpaces(name), [...known.keys()]).slice(0, NEAREST);
  return `is not a known device, the nearest are ${nearest.map((key) => known.get(key)).join(', ')}`;
}

function withoutSpaces(name: string): string {
  return name.toLowerCase().replaceAll(' ', '');
}
