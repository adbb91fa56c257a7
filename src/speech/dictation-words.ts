/** All words of the page that records; they come with it. */
export interface DictationWords {
  readonly title: string;
  readonly explanation: string;
  readonly start: string;
  readonly stop: string;
  readonly cancel: string;
  readonly level: string;
  readonly recording: string;
  readonly working: string;
  readonly done: string;
  readonly denied: string;
  readonly noMicrophone: string;
  readonly gone: string;
}
