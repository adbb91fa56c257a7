import { createRequire, syncBuiltinESMExports } from 'node:module';

const require = createRequire(import.meta.url);

/** Prototype of all async iterators, including async generators. */
const asyncIteratorPrototype: object = Object.getPrototypeOf(
  Object.getPrototypeOf(Object.getPrototypeOf((async function* () {})())),
);

/**
 * Features of Node 24 that Node 22 lacks. The list is the difference between the globals and the main modules of Node
 * 22.23 and of Node 24.21, without internal symbols.
 */
const newFeatures: readonly (readonly [owner: object, names: readonly PropertyKey[]])[] = [
  [asyncIteratorPrototype, [Symbol.asyncDispose]],
  [Iterator.prototype, [Symbol.dispose]],
  [
    globalThis,
    [
      ...['AsyncDisposableStack', 'CloseEvent', 'DisposableStack', 'Float16Array'],
      ...['SuppressedError', 'URLPattern'],
    ],
  ],
  [Atomics, ['pause']],
  [Blob.prototype, ['textStream']],
  [DataView.prototype, ['getFloat16', 'setFloat16']],
  [Error, ['isError']],
  [Intl, ['DurationFormat']],
  [
    Intl.Locale.prototype,
    [
      ...['firstDayOfWeek', 'getCalendars', 'getCollations', 'getHourCycles'],
      ...['getNumberingSystems', 'getTextInfo', 'getTimeZones', 'getWeekInfo'],
    ],
  ],
  [Math, ['f16round']],
  [Navigator.prototype, ['locks']],
  [Promise, ['try']],
  [RegExp, ['escape']],
  [SubtleCrypto, ['supports']],
  [
    SubtleCrypto.prototype,
    [
      ...['decapsulateBits', 'decapsulateKey', 'encapsulateBits', 'encapsulateKey'],
      ...['getPublicKey'],
    ],
  ],
  [WebAssembly, ['SuspendError', 'Suspending', 'promising']],
  [require('node:crypto'), ['argon2', 'argon2Sync', 'decapsulate', 'encapsulate', 'randomUUIDv7']],
  [require('node:fs'), ['Utf8Stream', 'mkdtempDisposableSync']],
  [require('node:fs/promises'), ['mkdtempDisposable']],
  [require('node:url'), ['URLPattern']],
];

// The oldest supported VS Code runs Node 22. Without these features, code that uses them also fails in unit tests.
for (const [owner, names] of newFeatures)
  for (const name of names) Reflect.deleteProperty(owner, name);
syncBuiltinESMExports();
