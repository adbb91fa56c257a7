/** As VS Code marks the turns that are ours. */
export const participantId = 'inferenceService.inference';
