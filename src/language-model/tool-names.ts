/** As in the manifest, there with `inferenceService_` in front. */
export const nativeToolNames = ['searchWeb', 'readPage', 'describeImage', 'speak'] as const;

export type NativeToolName = (typeof nativeToolNames)[number];
