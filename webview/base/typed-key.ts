/** What a key would write in a text field; empty when it would write nothing, as with a shortcut. */
export function typedText(event: KeyboardEvent): string {
  const { key, altKey, ctrlKey, metaKey } = event;
  // AltGr is Ctrl and Alt on Windows.
  const isShortcut = (altKey || ctrlKey) && !event.getModifierState('AltGraph');
  return isShortcut || metaKey || !/^.$/u.test(key) ? '' : key;
}

/** Space and Enter press the button that has the focus. */
export const isPress = ({ key }: KeyboardEvent): boolean => key === ' ' || key === 'Enter';
