// Colours of classes: told apart by lightness as well as by hue, so also without colour vision.

export type Rgb = readonly [r: number, g: number, b: number];

const COLOURS: readonly Rgb[] = [
  [120, 128, 140],
  [240, 165, 60],
  [70, 180, 235],
  [200, 90, 160],
  [110, 200, 120],
  [235, 225, 100],
  [150, 120, 230],
  [225, 90, 80],
];

export const colourOf = (label: number): Rgb => COLOURS[label % COLOURS.length];

export const cssColour = (label: number): string => `rgb(${colourOf(label).join(' ')})`;
