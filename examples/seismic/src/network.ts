import { F, nn, type Tensor } from 'voxgrad';

/**
 * Finds faults in a seismic volume: `[N, 1, X, Y, Z]` → scores `[N, 2, X, Y, Z]`, sizes even. The
 * names are those of the PyTorch class that wrote the checkpoint, so its state dict fits.
 */
export class FaultNet extends nn.Module {
  stem = new nn.Conv3d(1, 4, 3, { padding: 1 });
  stemNorm = new nn.BatchNorm3d(4);
  /** Depthwise with a large kernel: what an Ascend NPU's own backward refuses on long volumes. */
  large = new nn.Conv3d(4, 4, 9, { padding: 4, groups: 4 });
  largeNorm = new nn.BatchNorm3d(4);
  down = new nn.Conv3d(4, 8, 3, { stride: 2, padding: 1 });
  context = new nn.Conv3d(8, 8, 3, { padding: 2, dilation: 2 });
  up = new nn.ConvTranspose3d(8, 4, 2, { stride: 2 });
  head = new nn.Conv3d(4, 2, 1);

  forward(x: Tensor): Tensor {
    const a = F.relu(this.stemNorm.call(this.stem.call(x)));
    const b = F.relu(this.largeNorm.call(this.large.call(a)));
    const c = F.relu(this.down.call(b));
    const d = F.relu(this.context.call(c));
    const e = F.relu(this.up.call(d)).add(b);
    return this.head.call(e);
  }
}
