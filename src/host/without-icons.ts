/** Text for a label in which VS Code would draw `$(name)` as a picture: what others wrote shows as written. */
export const withoutIcons = (text: string): string => text.replaceAll('$(', '$ (');
