import { expect, test } from 'vitest';

test.each<[string, object]>([
  ['try', Promise],
  ['escape', RegExp],
  ['isError', Error],
  ['URLPattern', globalThis],
  ['DisposableStack', globalThis],
])('unit tests cannot use %s, which Node 22 lacks', (name, owner) => {
  expect(Object.hasOwn(owner, name)).toBe(false);
});

test('unit tests cannot dispose an async generator, as in Node 22', async () => {
  async function* generate(): AsyncGenerator<number> {
    yield 1;
  }
  const dispose = async (): Promise<void> => {
    await using _ = generate();
  };
  await expect(dispose()).rejects.toThrow(TypeError);
});
