/** For labels in which the editor would draw `$(name)` as an icon: names come from the service and are text. */
export const withoutIcons = (text: string): string => text.replaceAll('$(', '$ (');
