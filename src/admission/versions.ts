/**
 * The objects of a request in the version in which whoever looks at them speaks of them. Nothing is converted as long as
 * that is the request's own.
 *
 * @see k8s.io/apiserver pkg/admission/conversion.go (VersionedAttributes) at v0.36
 */
import type { JsonObject } from '../k8s/types.ts';
import { apiVersionOf, type Gvk } from '../k8s/types.ts';
import type { AdmissionSubject, EquivalentResource } from '../ports.ts';
import type { AdmittedObjects } from './matching.ts';

export class Versions {
  readonly #subject: Pick<AdmissionSubject, 'kind' | 'convert'>;
  #given: AdmittedObjects;
  #kind: Gvk;

  constructor(subject: Pick<AdmissionSubject, 'kind' | 'convert'>, given: AdmittedObjects) {
    this.#subject = subject;
    this.#given = given;
    this.#kind = subject.kind;
  }

  /** As they are now, in whatever version. */
  get given(): AdmittedObjects {
    return this.#given;
  }

  /** @param as undefined: in the version of the request @throws {ApiError} when they cannot be converted */
  async in(as: Pick<EquivalentResource, 'kind'> | undefined): Promise<AdmittedObjects> {
    const kind = as?.kind ?? this.#subject.kind;
    if (sameKind(kind, this.#kind)) return this.#given;
    const { object, oldObject } = this.#given;
    const present = [object, oldObject].filter((one) => one !== undefined);
    const converted = await this.#subject.convert(present, apiVersionOf(kind.group, kind.version));
    this.#given = {
      object: object === undefined ? undefined : converted[0],
      oldObject: oldObject === undefined ? undefined : converted.at(-1),
    };
    this.#kind = kind;
    return this.#given;
  }

  /** In the version that was asked for last. */
  replace(object: JsonObject): void {
    this.#given = { ...this.#given, object };
  }
}

function sameKind(a: Gvk, b: Gvk): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}
