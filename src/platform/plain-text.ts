/** For labels in which the editor would draw `$(name)` as an icon: names come from the service and are text. */
export const withoutIcons = (text: string): string => text.replaceAll('$(', '$ (');

/**
 * For messages in which the editor would make a link of `[words](address)`, to a command too: names of files and words
 * of the service are text.
 */
export const withoutLinks = (text: string): string => text.replaceAll('](', '] (');
