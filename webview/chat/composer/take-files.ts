/** Hears of files that are pasted into `composer` or dropped anywhere on the page, which would else go to them. */
export function takeFiles(composer: HTMLElement, take: (files: readonly File[]) => void): void {
  const onData = (event: Event, data: DataTransfer | null): void => {
    if (data === null || data.files.length === 0) return;
    event.preventDefault();
    take([...data.files]);
  };
  composer.addEventListener('paste', (event) => {
    if (!isText(event.clipboardData)) onData(event, event.clipboardData);
  });
  document.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  document.addEventListener('drop', (event) => onData(event, event.dataTransfer));
}

/** Office programs copy a picture of the text beside the text itself. */
const isText = (data: DataTransfer | null): boolean =>
  ['text/plain', 'text/html'].every((type) => data?.types.includes(type));
