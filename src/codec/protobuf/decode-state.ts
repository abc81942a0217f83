/**
 * What one protobuf body may cost, and what it used up: nested messages and nested envelopes share it.
 *
 * The number of objects is bounded by the size of the body, since two bytes can stand for a deep default object.
 */
import { ProtobufError } from './errors.ts';

/** Messages inside messages. CRD schemas are the deepest real objects, at some 20 levels. */
const MAX_DEPTH = 100;
/** Objects a body may make: enough for any small body, and one for every four bytes beyond. */
const FREE_OBJECTS = 10_000;
const BYTES_PER_OBJECT = 4;
const MAX_UNKNOWN_NAMES = 8;

export class DecodeState {
  unknownFields = 0;
  /** The first few unknown fields: `api/core/v1.PodSpec field 99`. */
  readonly unknownNames: string[] = [];
  #objectsLeft: number;
  #depth = 0;

  constructor(bodyBytes: number) {
    this.#objectsLeft = FREE_OBJECTS + bodyBytes / BYTES_PER_OBJECT;
  }

  /**
   * Takes one object, array or map out of the budget.
   *
   * @throws ProtobufError `too-large`
   */
  spend(): void {
    if (--this.#objectsLeft < 0) {
      throw new ProtobufError('too-large', 'protobuf body stands for far more objects than its size explains');
    }
  }

  /**
   * To be called at the start of every message or nested envelope; `leave` at its end.
   *
   * @throws ProtobufError `too-deep`
   */
  enter(): void {
    if (++this.#depth > MAX_DEPTH) {
      throw new ProtobufError('too-deep', `protobuf message is nested deeper than ${MAX_DEPTH} levels`);
    }
  }

  leave(): void {
    this.#depth--;
  }

  /** Counts a field that the schema does not have. */
  unknown(typeName: string, number: number): void {
    this.unknownFields++;
    if (this.unknownNames.length < MAX_UNKNOWN_NAMES) {
      this.unknownNames.push(`${typeName} field ${number}`);
    }
  }
}
