import { booleanField, fieldsOf } from '../../core/steps/common/fields.ts';
import type { Step } from '../../core/steps/common/step.ts';

const MEDIA_TYPES = ['Image', 'Media'] as const;

const schema = fieldsOf('look', {
  block_media: booleanField({
    description: "Don't load pictures, video and audio",
    example: true,
  }).default(false),
});

/**
 * Blocks media for `block_media`. Intercepts these resource types only, because each intercepted request costs a round
 * trip.
 */
export const blocking: Step<typeof schema> = {
  name: 'blocking',
  schema,
  apply: async (page, options) => {
    if (!options.block_media) return;
    await page.intercept({
      patterns: MEDIA_TYPES.map((resourceType) => ({
        urlPattern: '*',
        resourceType,
        requestStage: 'Request',
      })),
      onRequest: ({ resourceType }) => (isMedia(resourceType) ? { block: true } : undefined),
    });
  },
};

function isMedia(resourceType: string): boolean {
  return MEDIA_TYPES.some((type) => type === resourceType);
}
