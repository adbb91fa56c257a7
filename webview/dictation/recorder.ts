/** Base class that audio worklets provide as a global. */
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/** Audio processor that forwards all samples of the microphone's first channel. */
class Recorder extends AudioWorkletProcessor {
  process([input]: readonly (readonly Float32Array[])[]): boolean {
    const samples = input?.[0];
    if (samples !== undefined) this.port.postMessage(samples.slice());
    return true;
  }
}

registerProcessor('recorder', Recorder);
