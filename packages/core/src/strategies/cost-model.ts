// What a call costs, in multiplications of the device's convolution kernel: the unit in which work,
// passes over memory and the calls themselves can be added up. A device says in its capabilities how
// much its passes and calls cost in that unit; a calibration replaces the sum by measured time.

import type { Capabilities, CostRates } from '../device/device.js';
import { type ConvGeometry, inputShape, outputShape, type Triple } from '../ops/conv/geometry.js';
import { numelOf } from '../tensor/shape.js';

/** Rates of a device that says nothing: a loop over elements costs about what its convolution does. */
const USUAL: CostRates = { perCall: 20_000, perElement: 2, perRemainder: 0 };

export const ratesOf = (capabilities: Capabilities): CostRates => capabilities.rates ?? USUAL;

/** What a strided input gradient costs beyond its multiplications. */
export function remainders(capabilities: Capabilities, [d, h, w]: Triple): number {
  const count = d * h * w;
  return count > 1 ? count * ratesOf(capabilities).perRemainder : 0;
}

/** The cost of `calls` kernel calls that read and write `elements` besides their own work. */
export function passes(capabilities: Capabilities, calls: number, elements: number): number {
  const { perCall, perElement } = ratesOf(capabilities);
  return calls * perCall + elements * perElement;
}

/** Elements of a convolution's input and output: each pass of a kernel goes over both. */
export const convElements = (g: ConvGeometry): number =>
  numelOf(inputShape(g)) + numelOf(outputShape(g));
