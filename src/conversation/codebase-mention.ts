const mention = /(?<=^|\s)#(?=codebase\b)/gu;

/** Whether a message has the workspace searched for its words, and what is found sent along. */
export const mentionsCodebase = (text: string): boolean => text.search(mention) !== -1;

/** The same words, without that. */
export const withoutMention = (text: string): string => text.replaceAll(mention, '');
