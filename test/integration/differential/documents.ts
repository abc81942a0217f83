/** What an answer holds, whatever it is written in: objects, the events of a watch, or text that is neither. */
import { parse } from 'yaml';
import { parseJson } from '../../../src/codec/json.ts';
import { decodeObject } from '../../../src/codec/protobuf/codec.ts';
import { decodeWatchEvent, FrameReader } from '../../../src/codec/protobuf/frames.ts';
import type { RawAnswer } from '../../support/http.ts';

/** One document, or one for each event. */
export function documentsIn(answer: RawAnswer): unknown[] {
  const type = String(answer.headers['content-type'] ?? '');
  try {
    if (answer.body.length === 0) return [];
    if (/^application\/vnd\.kubernetes\.protobuf;\s*stream=watch/.test(type)) return framesIn(answer.body);
    if (type.startsWith('application/vnd.kubernetes.protobuf')) {
      return [decodeObject(answer.body, { group: '', version: '', kind: '' }).object];
    }
    if (type.startsWith('application/yaml')) return [parse(answer.text)];
    if (type.startsWith('application/json')) return jsonIn(answer.text);
  } catch (error) {
    return [`unreadable: ${String(error)}: ${answer.text.slice(0, 300)}`];
  }
  return [answer.text];
}

function jsonIn(text: string): unknown[] {
  try {
    return [parseJson(text)];
  } catch {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseJson(line));
  }
}

function framesIn(body: Uint8Array): unknown[] {
  return new FrameReader().push(body).map((payload) => {
    const { type, decoded } = decodeWatchEvent(payload);
    return { type, object: decoded.object };
  });
}
