// Tests of one package may call every method of a tensor, as users of `voxgrad` may.

import '@voxgrad/core/methods';
