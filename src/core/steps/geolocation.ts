import { z } from 'zod';
import { acceptedValue, fieldsOf, numberField } from './common/fields.ts';
import type { Step } from './common/step.ts';

const OBJECT_ERROR = 'must be an object with latitude and longitude in degrees';

const schema = fieldsOf('visitor', {
  geolocation: z
    .strictObject(
      {
        latitude: numberField({ min: -90, max: 90 }, { description: 'Degrees; north is positive' }),
        longitude: numberField({ min: -180, max: 180 }, { description: 'Degrees; east is positive' }),
        accuracy: numberField({ min: 0, max: 1_000_000 }, { description: 'Metres' }).default(10),
      },
      { error: OBJECT_ERROR },
    )
    .meta({
      description:
        'Position that the page gets from the geolocation API. Only the origin of `url` has the permission. As in browsers, the page must use https or be on this machine',
      example: { latitude: 47.3769, longitude: 8.5417 },
      accepts: 'object with `latitude` (-90 to 90), `longitude` (-180 to 180) and, optionally, `accuracy` (metres)',
    })
    .optional(),
});

/** Sets the position of the geolocation API and grants the permission. */
export const geolocation: Step<typeof schema> = {
  name: 'geolocation',
  schema,
  apply: async (page, { geolocation: place }, { url }) => {
    if (place === undefined || url === undefined) return;
    const { targetInfo } = await page.send('Target.getTargetInfo');
    await Promise.all([
      acceptedValue('geolocation', page.send('Emulation.setGeolocationOverride', place)),
      page.send('Browser.setPermission', {
        permission: { name: 'geolocation' },
        setting: 'granted',
        origin: new URL(url).origin,
        browserContextId: targetInfo.browserContextId, // without the context, it would apply to all captures
      }),
    ]);
  },
};
