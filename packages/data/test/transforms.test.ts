import {
  arange,
  Generator,
  manualSeed,
  rand,
  randint,
  randn,
  stack,
  type Tensor,
  tensor,
  zeros,
} from '@voxgrad/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/properties.js';
import {
  CenterCrop,
  Compose,
  Normalize,
  RandomAffine,
  RandomCrop,
  RandomElastic,
  RandomFlip,
  RandomIntensity,
  RandomRotate90,
  type Sample,
  type Transform,
  type Triple,
} from '../src/index.js';
import { splineWeights } from '../src/transforms/elastic.js';
import { inverse, product, rotation, rows } from '../src/transforms/matrix.js';

/** `[3, D, H, W]`: where each voxel is, along depth, height and width. */
const coordinates = (sizes: Triple, dtype: 'float32' | 'float64' = 'float64'): Tensor =>
  stack(
    sizes.map((size, axis) =>
      arange(size, { dtype })
        .reshape(sizes.map((_, d) => (d === axis ? size : 1)))
        .expand(sizes),
    ),
  );

/** A sample whose label says where its image comes from. */
const located = (sizes: Triple) => ({
  image: coordinates(sizes),
  label: coordinates(sizes).to('int16'),
  name: 'kept',
});

const seeded = (seed: number) => ({ generator: new Generator(seed) });
const largest = (x: Tensor): number => x.abs().amax().item();

const MOVES: Readonly<Record<string, (seed: number) => Transform>> = {
  RandomFlip: (seed) => new RandomFlip(seeded(seed)),
  RandomRotate90: (seed) => new RandomRotate90(seeded(seed)),
  RandomCrop: (seed) => new RandomCrop(3, { ...seeded(seed), padding: 1, paddingMode: 'reflect' }),
  CenterCrop: () => new CenterCrop([2, 3, 1]),
};

const RESAMPLERS: Readonly<Record<string, (seed: number) => Transform>> = {
  RandomAffine: (seed) =>
    new RandomAffine({
      ...seeded(seed),
      rotation: 30,
      scale: 0.2,
      shear: 0.1,
      translation: 2,
      paddingMode: 'border',
    }),
  RandomElastic: (seed) => new RandomElastic({ ...seeded(seed), maxDisplacement: 2 }),
};

const size = fc.integer({ min: 3, max: 6 });
const sizes: fc.Arbitrary<Triple> = fc.tuple(size, size, size);
const cases = fc.record({ sizes, seed: fc.integer({ min: 0, max: 1000 }) });

describe.each(Object.entries(MOVES))('%s', (_, make) => {
  it('moves voxels of image and label alike, and nothing else', () => {
    forAll(
      cases,
      ({ sizes, seed }) => {
        const sample = located(sizes);
        const moved = make(seed).call(sample);
        expect(moved.label.to('float64').tolist()).toEqual(moved.image.tolist());
        expect(moved.label.dtype).toBe('int16');
        expect(moved.name).toBe('kept');
        const flat = { image: sample.image, label: sample.label.select(0, 0) };
        const single = make(seed).call(flat);
        expect(single.label.tolist()).toEqual(moved.label.select(0, 0).tolist());
      },
      40,
    );
  });
});

describe.each(Object.entries(RESAMPLERS))('%s', (_, make) => {
  it('samples image and label at the same places', () => {
    forAll(
      cases,
      ({ sizes, seed }) => {
        const moved = make(seed).call(located(sizes));
        // Interpolated coordinates are the place itself, the label is the nearest voxel.
        expect(largest(moved.image.sub(moved.label.to('float64')))).toBeLessThanOrEqual(0.5 + 1e-9);
        expect(moved.image.shape).toEqual([3, ...sizes]);
      },
      25,
    );
  });

  it('is the same for a seed, and leaves the sample alone', () => {
    const sample = located([4, 5, 3]);
    const [a, b, c] = [1, 1, 2].map((seed) => make(seed).call(sample).image.tolist());
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
    expect(sample.image.tolist()).toEqual(coordinates([4, 5, 3]).tolist());
  });

  it('keeps every label it finds', () => {
    const label = randint(0, 200, [5, 5, 5], { dtype: 'uint8' });
    const moved = make(3).call({ image: rand([1, 5, 5, 5]), label }).label;
    const known = new Set(Array.from(label.dataSync(), Number));
    expect(Array.from(moved.dataSync(), Number).every((value) => known.has(value))).toBe(true);
    expect(moved.dtype).toBe('uint8');
  });
});

describe('RandomAffine', () => {
  const affine = (options: ConstructorParameters<typeof RandomAffine>[0], image: Tensor) =>
    new RandomAffine(options).call({ image }).image;
  const close = (a: Tensor, b: Tensor) => expect(largest(a.sub(b))).toBeLessThan(1e-9);

  it('turns by 90 degrees as rot90 does', () => {
    const image = randn([2, 4, 4, 4], { dtype: 'float64' });
    for (const axis of [0, 1, 2]) {
      const turn = [0, 1, 2].map((a): [number, number] => (a === axis ? [90, 90] : [0, 0]));
      const plane = [(axis + 1) % 3, (axis + 2) % 3].map((a) => a + 1);
      close(affine({ rotation: [turn[0], turn[1], turn[2]] }, image), image.rot90(1, plane));
    }
  });

  it('moves content towards larger positions, in units of spacing', () => {
    const image = randn([1, 3, 3, 5], { dtype: 'float64' });
    const shifted = zeros([1, 3, 3, 5], { dtype: 'float64' });
    shifted.narrow(3, 2, 3).copy_(image.narrow(3, 0, 3));
    close(affine({ translation: [0, 0, [2, 2]] }, image), shifted);
    const spacing: Triple = [1, 1, 0.5];
    close(affine({ translation: [0, 0, [1, 1]], spacing }, image), shifted);
  });

  it('grows content by the scale factor', () => {
    // Voxel centres at ±0.5, ±1.5, … from the middle: value = 2 · offset, halved at twice the size.
    const ramp = arange(8, { dtype: 'float64' }).mul(2).sub(7).reshape(1, 1, 1, 8);
    const grown = affine({ scale: [0, 0, [2, 2]], paddingMode: 'border' }, ramp);
    close(grown, ramp.div(2));
  });

  it('keeps shapes round where voxels are not cubes', () => {
    // 4 × 8 voxels of 2 × 1 mm are a square; a quarter turn maps it onto itself.
    const [h, w] = [4, 8];
    const y = arange(h, { dtype: 'float64' }).mul(2).sub(3).reshape(1, 1, h, 1).expand(1, 1, h, w);
    const x = arange(w, { dtype: 'float64' }).sub(3.5).reshape(1, 1, 1, w).expand(1, 1, h, w);
    const options = {
      rotation: [[90, 90], 0, 0],
      spacing: [1, 2, 1],
      paddingMode: 'border',
    } as const;
    const inside = (image: Tensor) => image.narrow(3, 1, 6);
    close(inside(affine(options, x)), inside(y.neg()));
    close(affine(options, y), x.clamp(-3, 3));
  });

  it('draws one factor for all axes when isotropic', () => {
    const image = coordinates([5, 5, 5]).sub(2);
    const grown = affine(
      {
        scale: [
          [0.5, 0.9],
          [2, 3],
          [2, 3],
        ],
        isotropic: true,
        ...seeded(4),
      },
      image,
    );
    const corner = (axis: number) =>
      [axis, 4, 4, 4]
        .reduce(
          (t, at) => t.select(0, at),
          affine({ scale: 0.2, isotropic: true, paddingMode: 'border', ...seeded(4) }, image),
        )
        .item();
    expect(grown.shape).toEqual([3, 5, 5, 5]);
    expect(corner(0)).toBeCloseTo(corner(1), 12);
    expect(corner(0)).toBeCloseTo(corner(2), 12);
  });

  it('refuses what it cannot do', () => {
    const label = zeros([2, 2, 2]);
    const image = zeros([1, 2, 2, 2], { dtype: 'uint8' });
    expect(() => new RandomAffine({ rotation: 5 }).call({ image, label })).toThrow(
      "RandomAffine: expected a floating-point image, but got uint8; convert it first: image.to('float32')",
    );
    expect(() => new RandomAffine({ scale: 1 })).toThrow('expected positive scale factors');
    expect(() => new RandomAffine({ shear: [2, 1] })).toThrow('expected shear as a number');
    expect(() => new RandomAffine({ spacing: [1, 0, 1] })).toThrow('three positive numbers');
    expect(() => new RandomAffine({ p: 2 })).toThrow('expected p in [0, 1], but got 2');
    expect(() => new RandomAffine({ paddingMode: 'wrap' as 'zeros' })).toThrow("but got 'wrap'");
  });
});

describe('RandomElastic', () => {
  it('moves no voxel further than it may', () => {
    for (const seed of [1, 2, 3]) {
      const image = coordinates([6, 7, 8]);
      const maxDisplacement = 1.5;
      const moved = new RandomElastic({ ...seeded(seed), maxDisplacement }).call({ image }).image;
      expect(largest(moved.sub(image))).toBeLessThanOrEqual(maxDisplacement + 1e-9);
      expect(largest(moved.sub(image))).toBeGreaterThan(0.05);
    }
  });

  it('interpolates with weights that add up to 1', () => {
    for (const [size, points] of [
      [9, 4],
      [5, 7],
      [1, 5],
    ]) {
      const weights = splineWeights(size, points);
      for (let voxel = 0; voxel < size; voxel++) {
        const column = weights.filter((_, i) => i % size === voxel);
        expect(column.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
        expect(Math.min(...column)).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it('refuses lattices without an inside', () => {
    expect(() => new RandomElastic({ controlPoints: 3 })).toThrow('an integer of 4 or more');
    expect(() => new RandomElastic({ maxDisplacement: -1 })).toThrow(
      'maxDisplacement of 0 or more',
    );
  });
});

describe('crops', () => {
  const image = coordinates([4, 5, 6]);

  it('CenterCrop takes the middle', () => {
    const { image: middle } = new CenterCrop([2, 2, 2]).call({ image });
    const first = [0, 0, 0].reduce((t, at) => t.select(1, at), middle);
    expect(first.tolist()).toEqual([1, 1, 2]);
  });

  it('pad what is too small only when told to', () => {
    const label = coordinates([4, 5, 6]).select(0, 0);
    expect(() => new CenterCrop(6).call({ image })).toThrow(
      'CenterCrop: Required crop size (6, 6, 6) is larger than input volume size (4, 5, 6); pass padIfNeeded',
    );
    const options = { padIfNeeded: true, value: -1, labelValue: 255 };
    const padded = new CenterCrop(6, options).call({ image, label });
    expect(padded.image.shape).toEqual([3, 6, 6, 6]);
    const corner = [0, 0, 0];
    expect(corner.reduce((t, at) => t.select(1, at), padded.image).tolist()).toEqual([-1, -1, -1]);
    expect(corner.reduce((t, at) => t.select(0, at), padded.label).item()).toBe(255);
    expect(new RandomCrop([6, 5, 6], options).call({ image }).image.shape).toEqual([3, 6, 5, 6]);
  });

  it('RandomCrop reaches every place', () => {
    const crop = new RandomCrop([4, 4, 5], seeded(5));
    const starts = new Set(
      Array.from({ length: 60 }, () => {
        const first = [0, 0, 0].reduce((t, at) => t.select(1, at), crop.call({ image }).image);
        return String(first.tolist());
      }),
    );
    expect([...starts].sort()).toEqual(['0,0,0', '0,0,1', '0,1,0', '0,1,1']);
  });

  it('refuse impossible sizes', () => {
    expect(() => new RandomCrop(0)).toThrow('expected size as an integer of 1 or more');
    expect(() => new RandomCrop([1, 2] as unknown as Triple)).toThrow('or three of them');
    expect(() => new RandomCrop(2, { padding: -1 })).toThrow('expected padding as an integer of 0');
  });
});

describe('RandomFlip and RandomRotate90', () => {
  const sample = { image: coordinates([2, 3, 4]) };

  it('flip each axis by itself', () => {
    const all = new RandomFlip({ p: 1 }).call(sample).image;
    expect(all.tolist()).toEqual(sample.image.flip([1, 2, 3]).tolist());
    const one = new RandomFlip({ p: 1, axes: [2] }).call(sample).image;
    expect(one.tolist()).toEqual(sample.image.flip(3).tolist());
    const flip = new RandomFlip(seeded(1));
    const seen = new Set(
      Array.from({ length: 60 }, () => String(flip.call(sample).image.tolist())),
    );
    expect(seen.size).toBe(8);
  });

  it('turn in every plane', () => {
    const turn = new RandomRotate90(seeded(1));
    const cube = { image: coordinates([2, 2, 2]) };
    const seen = new Set(Array.from({ length: 100 }, () => String(turn.call(cube).image.tolist())));
    expect(seen.size).toBe(10); // unturned, and three turns in each of three planes
  });

  it('refuse unknown axes', () => {
    expect(() => new RandomFlip({ axes: [3 as 2] })).toThrow('RandomFlip: expected axes as a list');
    expect(() => new RandomRotate90({ axes: [1] })).toThrow('a list of 2 or more');
    expect(() => new RandomFlip({ axes: [1, 1] })).toThrow('but got [1, 1]');
  });
});

describe('RandomIntensity', () => {
  const image = rand([2, 3, 3, 3], { dtype: 'float64', generator: new Generator(8) });
  const sample = { image, label: zeros([3, 3, 3]) };
  const change = (options: ConstructorParameters<typeof RandomIntensity>[0]) =>
    new RandomIntensity(options).call(sample);

  it('applies gain and bias, and leaves labels alone', () => {
    const { image: y, label } = change({ gain: [2, 2], bias: [1, 1] });
    expect(largest(y.sub(image.mul(2).add(1)))).toBe(0);
    expect(label).toBe(sample.label);
  });

  it('bends with gamma inside of the range of each channel', () => {
    const { image: y } = change({ gamma: [2, 2] });
    for (const extreme of [(x: Tensor) => x.amin([1, 2, 3]), (x: Tensor) => x.amax([1, 2, 3])])
      expect(largest(extreme(y).sub(extreme(image)))).toBeLessThan(1e-12);
    expect(y.mean().item()).toBeLessThan(image.mean().item());
    const constant = new RandomIntensity({ gamma: [2, 2] }).call({
      image: zeros([1, 2, 2, 2]).add(3),
    });
    expect(largest(constant.image.sub(3))).toBe(0);
  });

  it('adds noise of the given spread', () => {
    const still = zeros([1, 20, 20, 20]);
    const { image: noisy } = new RandomIntensity({ noise: 0.5, ...seeded(1) }).call({
      image: still,
    });
    expect(Math.abs(noisy.std().item() - 0.5)).toBeLessThan(0.02);
    expect(noisy.dtype).toBe('float32');
  });

  it('refuses ranges without sense', () => {
    expect(() => new RandomIntensity({})).toThrow('at least one of gamma, gain, bias and noise');
    expect(() => new RandomIntensity({ gamma: 1 })).toThrow('a positive gamma');
    expect(() => new RandomIntensity({ noise: [-1, 1] })).toThrow('noise of 0 or more');
  });
});

describe('Normalize', () => {
  const image = randn([2, 3, 4, 5], { dtype: 'float64', generator: new Generator(8) })
    .mul(3)
    .add(7);

  it('measures each channel', () => {
    const { image: y } = new Normalize().call({ image });
    expect(largest(y.mean([1, 2, 3]))).toBeLessThan(1e-12);
    expect(largest(y.std([1, 2, 3], { unbiased: false }).sub(1))).toBeLessThan(1e-12);
  });

  it('takes given numbers, one or one per channel', () => {
    const { image: y } = new Normalize({ mean: [1, 2], std: 4 }).call({ image });
    const mean = tensor([1, 2], { dtype: 'float64' }).reshape(2, 1, 1, 1);
    expect(largest(y.sub(image.sub(mean).div(4)))).toBeLessThan(1e-15);
    expect(() => new Normalize({ mean: [1] }).call({ image })).toThrow(
      'one mean per channel (2), but got 1',
    );
    expect(() => new Normalize({ std: 0 })).toThrow('expected std to be positive');
  });

  it('leaves zeros out, and a constant channel at 0', () => {
    const brain = tensor([0, 1, 3, 0], { dtype: 'float64' }).reshape(1, 1, 1, 4);
    const { image: y } = new Normalize({ nonzero: true }).call({ image: brain });
    expect(y.flatten().tolist()).toEqual([0, -1, 1, 0]);
    expect(
      new Normalize()
        .call({ image: zeros([1, 1, 1, 3]).add(5) })
        .image.flatten()
        .tolist(),
    ).toEqual([0, 0, 0]);
  });
});

describe('all of them', () => {
  const everything = (): Transform =>
    new Compose([
      new RandomFlip(),
      new RandomRotate90(),
      new RandomAffine({ rotation: 10, p: 0.5 }),
      new RandomElastic({ p: 0.5, maxDisplacement: 1 }),
      new RandomCrop(4, { padIfNeeded: true }),
      new RandomIntensity({ gain: 0.1, noise: 0.1 }),
      new Normalize(),
    ]);

  it('draw from the default generator, the same after manualSeed', () => {
    const sample: Sample = { image: rand([1, 5, 6, 4]), label: randint(0, 3, [5, 6, 4]) };
    const run = () => {
      manualSeed(11);
      const transform = everything();
      return [0, 1, 2].map(() => {
        const { image, label } = transform.call(sample);
        return [image.tolist(), String(label?.tolist())];
      });
    };
    const first = run();
    expect(run()).toEqual(first);
    expect(first[0]).not.toEqual(first[1]);
  });

  it('do nothing with probability 0', () => {
    const sample = { image: rand([1, 3, 3, 3]) };
    const generator = new Generator(1);
    for (const transform of [
      new RandomFlip({ p: 0, generator }),
      new RandomRotate90({ p: 0, generator }),
      new RandomAffine({ p: 0, rotation: 5, generator }),
      new RandomElastic({ p: 0, generator }),
      new RandomCrop(2, { p: 0, generator }),
      new RandomIntensity({ p: 0, gain: 0.5, generator }),
    ])
      expect(transform.call(sample)).toBe(sample);
  });

  it('leave the tape alone', () => {
    const image = rand([1, 3, 3, 3], { requiresGrad: true });
    expect(new RandomIntensity({ gain: 0.5 }).call({ image }).image.requiresGrad).toBe(false);
  });

  it('say what a sample must look like', () => {
    const flip = new RandomFlip();
    expect(() => flip.call({ image: zeros([2, 2, 2]) })).toThrow(
      'RandomFlip: expected sample.image of shape [C, D, H, W], but got [2, 2, 2]',
    );
    expect(() => flip.call({ image: zeros([1, 2, 2, 2]), label: zeros([2, 2, 3]) })).toThrow(
      'expected sample.label of shape [D, H, W] or [C, D, H, W] with the sizes of the image [1, 2, 2, 2], but got [2, 2, 3]',
    );
    expect(() => new Compose([{} as Transform])).toThrow('Compose: expected transforms');
  });
});

describe('matrices', () => {
  it('inverse undoes, rotation keeps lengths', () => {
    const m = product(rotation(0, 0.3), product(rotation(1, -0.8), rotation(2, 1.1)));
    const close = (a: readonly Triple[]) =>
      a.forEach((row, i) => {
        row.forEach((value, j) => {
          expect(value).toBeCloseTo(i === j ? 1 : 0, 12);
        });
      });
    close(product(m, inverse(m)));
    close(
      product(
        m,
        rows((i, j) => m[j][i]),
      ),
    );
  });
});
