/** A phone that Puppeteer does not know. */
export interface Phone {
  readonly name: string;
  /** The name of the model in its user agent. */
  readonly model: string;
  readonly android: number;
  /** Size of the screen in CSS pixels, when the phone stands upright. */
  readonly width: number;
  readonly height: number;
  readonly density: number;
}

const pixel = (name: string, android: number, width: number, height: number, density: number): Phone => ({
  name: `Pixel ${name}`,
  model: `Pixel ${name}`,
  android,
  width,
  height,
  density,
});
const galaxy = (
  name: string,
  model: string,
  android: number,
  width: number,
  height: number,
  density: number,
): Phone => ({
  name: `Galaxy ${name}`,
  model: `SM-${model}`,
  android,
  width,
  height,
  density,
});

/** Android phones since 2021. The size is the screen in pixels, divided by the density that Android uses. */
export const CURRENT_PHONES: readonly Phone[] = [
  pixel('6', 12, 412, 915, 2.625),
  pixel('6a', 12, 412, 915, 2.625),
  pixel('6 Pro', 12, 412, 892, 3.5),
  pixel('7', 13, 412, 915, 2.625),
  pixel('7a', 13, 412, 915, 2.625),
  pixel('7 Pro', 13, 412, 892, 3.5),
  pixel('8', 14, 412, 915, 2.625),
  pixel('8a', 14, 412, 915, 2.625),
  pixel('8 Pro', 14, 448, 997, 3),
  pixel('9', 15, 412, 923, 2.625),
  pixel('9a', 15, 412, 923, 2.625),
  pixel('9 Pro', 15, 427, 952, 3),
  pixel('9 Pro XL', 15, 448, 997, 3),
  pixel('10', 16, 412, 923, 2.625),
  pixel('10 Pro', 16, 427, 952, 3),
  pixel('10 Pro XL', 16, 448, 997, 3),
  galaxy('S21', 'G991B', 13, 360, 800, 3),
  galaxy('S21+', 'G996B', 13, 384, 853, 2.8125),
  galaxy('S21 Ultra', 'G998B', 13, 384, 853, 3.75),
  galaxy('S22', 'S901B', 14, 360, 780, 3),
  galaxy('S22+', 'S906B', 14, 384, 832, 2.8125),
  galaxy('S22 Ultra', 'S908B', 14, 384, 823, 3.75),
  galaxy('S23', 'S911B', 14, 360, 780, 3),
  galaxy('S23+', 'S916B', 14, 384, 832, 2.8125),
  galaxy('S23 Ultra', 'S918B', 14, 384, 823, 3.75),
  galaxy('S24', 'S921B', 15, 360, 780, 3),
  galaxy('S24+', 'S926B', 15, 384, 832, 3.75),
  galaxy('S24 Ultra', 'S928B', 15, 384, 832, 3.75),
  galaxy('S25', 'S931B', 15, 360, 780, 3),
  galaxy('S25+', 'S936B', 15, 384, 832, 3.75),
  galaxy('S25 Ultra', 'S938B', 15, 384, 832, 3.75),
];
