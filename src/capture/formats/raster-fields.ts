import { booleanField, fieldsOf, integerField } from '../common/fields.ts';

export const pictureFields = fieldsOf('look', {
  omit_background: booleanField({
    description: 'Leave out the white that browsers put behind a page: png and webp become transparent there',
    example: true,
  }).default(false),
  image_quality: integerField(
    { min: 0, max: 100 },
    { description: 'Quality of jpeg and webp', example: 80 },
  ).default(90),
});
