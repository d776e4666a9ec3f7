import { z } from 'zod';
import { integerField } from '../capture/fields.ts';

export const pictureFields = z.object({
  image_quality: integerField(
    { min: 0, max: 100 },
    { description: 'Quality of jpeg and webp', example: 80 },
  ).default(90),
});
