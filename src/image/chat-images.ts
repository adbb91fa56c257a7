/** Where the extension's state keeps the model and the options that the person used last. */
export const imageChoiceKey = 'image.choice';
