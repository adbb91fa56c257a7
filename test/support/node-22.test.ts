import { expect, test } from 'vitest';

test.each<[description: string, name: string, owner: object]>([
  ['Promise.try', 'try', Promise],
  ['RegExp.escape', 'escape', RegExp],
  ['Error.isError', 'isError', Error],
  ['URLPattern', 'URLPattern', globalThis],
  ['DisposableStack', 'DisposableStack', globalThis],
])('unit tests cannot use %s, which Node 22 lacks', (_, name, owner) => {
  expect(Object.hasOwn(owner, name)).toBe(false);
});

test('unit tests cannot dispose an async generator, because Node 22 cannot', async () => {
  async function* generate(): AsyncGenerator<number> {
    yield 1;
  }
  const dispose = async (): Promise<void> => {
    await using _ = generate();
  };
  await expect(dispose()).rejects.toThrow(TypeError);
});
