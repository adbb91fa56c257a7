import { expect, test, vi } from 'vitest';
import { createImageTools } from './generate-image-tool.ts';

vi.mock('vscode', () => ({ workspace: { workspaceFolders: [{}] } }));

test.each([
  [['image'], ['generate_image']],
  [['inpaint'], ['edit_image', 'combine_images', 'remove_background']],
  [['upscale'], ['upscale_image', 'remove_background']],
  [['text'], []],
])('createImageTools, given models of the types %j, returns the tools %j', (types, names) => {
  const models = { models: types.map((type) => ({ type })) };
  const tools = createImageTools({ models } as never, {} as never)({} as never)();
  expect(tools.map(({ name }) => name)).toEqual(names);
});
