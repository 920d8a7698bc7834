// Why names of PyTorch are left out, and what stands here for those that are written otherwise. The
// first pattern that fits counts.

export type Reason = readonly [pattern: { test(name: string): boolean }, reason: string];

const FIXED = 'a tensor keeps its shape and its place on the tape: `x = x.squeeze()` is a view';

export const MISSING: readonly Reason[] = [
  // torch.nn
  [/^Lazy|^Uninitialized/, 'shapes are given when a module is made'],
  [/^(RNN|LSTM|GRU)/, 'recurrent networks are not part of voxgrad'],
  [/^(rnn|lstm|gru)_|^(lstm|gru)$/, 'recurrent networks are not part of voxgrad'],
  [/^Transformer/, 'a whole architecture; MultiheadAttention and LayerNorm are here to build it'],
  [/^(DataParallel|SyncBatchNorm)$/, 'one process drives one device'],
  [/^(Container|NLLLoss2d)$/, 'a deprecated name in PyTorch'],
  [/^CrossMapLRN2d$/, "Caffe's variant of LocalResponseNorm, undocumented in PyTorch"],
  [/^conv_tbc$/, 'a layout (time, batch, channel) of one other project'],
  [/^multi_head_attention_forward$/, 'the inside of nn.MultiheadAttention'],
  [/^fractional_max_pool|^FractionalMaxPool/, 'random windows, rarely used'],
  [/^AdaptiveLogSoftmaxWithLoss$/, 'for vocabularies of language models'],
  // torch.nn.Module and torch.nn.utils
  [/^(get|set)_extra_state$/, 'a state dict holds tensors alone: a buffer keeps them'],
  [/^(T_destination|dump_patches)$/, 'internals of PyTorch'],
  [/^clip_grad_norm$|^register_backward_hook$/, 'a deprecated name in PyTorch'],
  [/memory_format$/, 'memory layouts: tensors are made row-major'],
  [/^fuse_(conv|linear)_bn_weights$/, 'the inside of fuseConvBnEval and fuseLinearBnEval'],
  // torch.nn.utils.parametrize and parametrizations
  [/^cached$/, 'a parametrized parameter is computed when it is read: keep it in a variable'],
  [/^type_before_parametrizations$/, 'a parametrized module keeps its class here'],
  [/^transfer_parametrizations_and_params$/, 'register the parametrizations on the other module'],
  [/^orthogonal$/, 'needs the matrix exponential; init.orthogonal_ is here'],
  // torch.Tensor and torch
  [/^Q(U?)Int|quantize|^q_|^qscheme$|int_repr|fake_quant|qparams|^fbgemm_/, 'quantized tensors'],
  [
    /sparse|^(s|d|h|sspadd|sadd)s?(add)?mm$|^hspmm$|^spmm$|coalesce|dense_dim|^to_dense$/,
    'sparse tensors',
  ],
  [/(^|_)(indices|values)(_copy)?$|^to_padded_tensor$|^is_nested$/, 'sparse and nested tensors'],
  [/mkldnn|cudnn|miopen|fbgemm|vulkan/, 'kernels of other backends; here devices bring theirs'],
  [
    /^(is_)?(cuda|ipu|xpu|mps|ort|meta)$|^is_pinned$|^pin_memory$|record_stream|^Stream|^DeviceObj|^is_cpu$/,
    'devices are asked for by name: `x.device.name`, `x.to(device)`',
  ],
  [
    /complex|^view_as_real|^(real|imag|angle|polar|isreal)$|conj|_neg$|^c(double|float|half)$|^chalf$|stft$/i,
    'complex numbers, and the Fourier transforms that make them',
  ],
  [/^align_|^(re)?names?$|^rename_?$|refine_names|has_names/, 'named tensors'],
  [
    /cholesky|^(eig|symeig|geqrf|lobpcg|lstsq|svd|qr|orgqr|ormqr|pinverse)$|lowrank|matrix_(exp|rank)/,
    'decompositions of matrices; inverse, det, slogdet and matrix_power are here',
  ],
  [
    /^(lu|solve|triangular_solve)|nuclear_norm/,
    'decompositions of matrices; inverse, det, slogdet and matrix_power are here',
  ],
  [/^i0_?$|^igammac?_?$|kaiser/, 'Bessel and incomplete gamma functions'],
  [/^frexp$|^nextafter_?$/, 'the bits of floating numbers'],
  [/^nanquantile$|^histogramdd$|^binomial$|^segment_reduce$/, 'rare statistics'],
  [/distributed|^RRef|_rref/i, 'one process drives one device'],
  [
    /share|^fork$|^wait$|multiprocessing|num_(interop_)?threads/,
    'processes and threads of PyTorch',
  ],
  [/^(apply|map2?)_$/, 'a function per element: read with `dataSync()`, make with `tensor()`'],
  [/^(un)?squeeze_$|^(transpose|t|swapaxes|swapdims|detach)_$|^resize(_as)?_?$|^set_$/, FIXED],
  [
    /^as_strided_(scatter)?$|empty_strided$|^memory_format$|^layout$/,
    'memory layouts: tensors are made row-major',
  ],
  [
    /^(data_ptr|is_set_to|output_nr|volatile|reinforce|new|as_subclass|obj)$|storage/,
    'memory and internals of PyTorch',
  ],
  [
    /numpy|dlpack|^from_file$|^frombuffer$/,
    'numpy and memory of other libraries; `tensor(typedArray)` and `dataSync()` stand for them',
  ],
  [/autocast/, 'mixed precision is chosen by dtypes; `optim.GradScaler` is here'],
  [/_copy$/, 'copies of views, for compilers: `x.view(…).clone()`'],
  [
    /^batch_norm_|^native_|norm_except_dim|embedding_renorm_|^convolution$/,
    'the insides of modules',
  ],
  [/inference|anomaly/, 'inference mode is `noGrad`; anomalies have `detectAnomaly`'],
  [
    /deterministic|flush_denormal|printoptions|matmul_precision|warn|vital|cxx11|default_tensor_type/,
    'settings of PyTorch: results here do not depend on any but the default dtype',
  ],
  [
    /^parse_|^import_|unify_type|merge_type|get_file_path|typename|classproperty|^candidate$/,
    'the compiler (torch.jit) and other internals',
  ],
  [/^[A-Z]/, 'the compiler (torch.jit) and other internals'],
];

const list = (...names: string[]): { test(name: string): boolean } => ({
  test: (name) => names.includes(name),
});

export const DIFFERENT = {
  Module: [
    [list('cpu', 'cuda', 'ipu', 'xpu', 'type'), '`module.to(device)`, `module.to(dtype)`'],
    [list('to_empty'), '`module.to(device)`: there are no tensors without elements'],
  ],
  parametrizations: [[list('spectral_norm'), '`nn.utils.spectralNorm`']],
  Tensor: [
    [list('numel', 'is_contiguous'), 'a property: `x.numel`, `x.isContiguous`'],
    [list('data'), '`x.data()` reads the elements; `x.detach()` is the tensor off the tape'],
    [list('storage'), 'a property: `x.storage`'],
    [list('numpy'), '`x.dataSync()`, or `await x.data()`: a typed array'],
    [list('type', 'get_device'), '`x.dtype` and `x.to(dtype)`; `x.device`'],
    [list('hardshrink', 'prelu'), '`F.hardshrink`, `F.prelu`'],
  ],
  /** Of `torch`: what is in F or a method alone, given the names that these and the package have. */
  top: (
    inFunctional: (name: string) => boolean,
    isMethod: (name: string) => boolean,
    isFunction: (name: string) => boolean,
  ): readonly Reason[] => [
    [list('Storage'), '`x.storage`'],
    [list('Size', 'dtype', 'device'), "plain values: `[2, 3]`, `'float32'`, `getDevice('cpu')`"],
    [
      /^(Double|Float|Half|BFloat16|Long|Int|Short|Char|Byte|Bool)Tensor$/,
      '`tensor(data, { dtype })`',
    ],
    [list('from_numpy', 'frombuffer', 'scalar_tensor'), '`tensor(data)`, which copies'],
    [list('range'), 'deprecated in PyTorch: `arange`'],
    [list('var'), '`variance` (`var` is a word of the language), `x.var()`'],
    [list('frobenius_norm'), '`norm`'],
    [list('fill'), '`x.clone().fill_(value)`'],
    [/^grid_sampler/, '`F.gridSample`'],
    [list('affine_grid_generator'), '`F.affineGrid`'],
    [list('constant_pad_nd'), '`F.pad`'],
    [list('set_anomaly_enabled', 'is_anomaly_enabled'), '`setDetectAnomaly`, `detectAnomaly`'],
    [
      list(
        'dropout_',
        'alpha_dropout_',
        'feature_alpha_dropout_',
        'feature_dropout',
        'feature_dropout_',
      ),
      '`F.dropout`, `F.dropout2d`, `F.alphaDropout` … with `{ inplace: true }`',
    ],
    [
      { test: (name) => !isFunction(name) && inFunctional(name) },
      'in `F`, under the same name in camelCase',
    ],
    [{ test: (name) => !isFunction(name) && isMethod(name) }, 'a method of the tensor alone'],
  ],
} as const satisfies {
  Module: readonly Reason[];
  parametrizations: readonly Reason[];
  Tensor: readonly Reason[];
  top: (...have: ((name: string) => boolean)[]) => readonly Reason[];
};
