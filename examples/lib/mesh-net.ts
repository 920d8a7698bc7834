import { nn, type StateDict, type Tensor } from 'voxgrad';

const DILATIONS = [1, 2, 4, 8, 16, 8, 4, 2, 1];

/**
 * Dilated convolutions see far without pooling: `[N, 1, D, H, W]` → scores `[N, classes, D, H, W]`.
 * Source: Fedorov et al., End-to-end learning of brain tissue segmentation from imperfect labeling, 2017.
 */
export class MeshNet extends nn.Module {
  model = new nn.Sequential();

  constructor(
    channels: number,
    readonly classes: number,
  ) {
    super();
    DILATIONS.forEach((d, i) => {
      const conv = new nn.Conv3d(i === 0 ? 1 : channels, channels, 3, { padding: d, dilation: d });
      nn.init.kaimingNormal_(conv.weight, { nonlinearity: 'relu' });
      this.model.append(conv);
      this.model.append(new nn.ReLU());
    });
    this.model.append(new nn.Conv3d(channels, classes, 1));
  }

  /** The network that a checkpoint is of, by the sizes in it; names the keys that do not fit. */
  static of(state: StateDict): MeshNet {
    const weights = [...state.values()].filter(({ shape }) => shape.length === 5);
    if (weights.length === 0) throw new Error('the checkpoint holds no weights of 3D convolutions');
    const model = new MeshNet(weights[0].shape[0], weights[weights.length - 1].shape[0]);
    model.loadStateDict(state);
    return model;
  }

  override forward(x: Tensor): Tensor {
    return this.model.call(x);
  }
}
