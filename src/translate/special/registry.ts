/** Specials by the name that the table of kinds gives them. A name that is not here is a fault in the table. */
import type { JsonValue } from '../../k8s/types.ts';
import { countDown, countUp } from '../hidden-counts.ts';
import type { Walk } from '../walk.ts';
import { autoscalerAnnotationsDown, autoscalerAnnotationsUp } from './autoscaler-annotations.ts';
import {
  claimAnnotationsUp,
  claimTemplateMetadataDown,
  claimTemplateMetadataUp,
  ingressAnnotationsDown,
  ingressAnnotationsUp,
  storageAnnotationsDown,
  volumeAnnotationsUp,
} from './class-annotations.ts';
import { crdConversionDown, crdConversionUp } from './crd-conversion.ts';
import { crdGroupDown, crdGroupUp } from './crd-group.ts';
import { crdItemsDown, crdItemsUp } from './crd-items.ts';
import { crdNamesDown, crdNamesUp } from './crd-names.ts';
import {
  defaultAnnotationDown,
  defaultAnnotationUp,
  globalDefaultDown,
  globalDefaultMarkDown,
  globalDefaultMarkUp,
  globalDefaultUp,
} from './default-mark.ts';
import { deletionConditionDown, deletionConditionUp } from './deletion-condition.ts';
import { eventObjectDown, eventObjectUp } from './event-object.ts';
import { extendedResourceDown, extendedResourceUp } from './extended-resource.ts';
import { hostAnnotationDown, hostAnnotationUp } from './host-annotation.ts';
import { asItIs, crdColumnUp, crdRulesUp, hostExpressionUp } from './host-expressions.ts';
import { namespaceLabelsDown, namespaceLabelsUp } from './namespace-labels.ts';
import { quotaKeyDown, quotaKeyUp } from './quota-key.ts';
import { quotaScopeDown, quotaScopeUp } from './quota-scope.ts';
import { claimClassUp, storageClassDown, volumeClassUp } from './storage-class.ts';
import { storageParametersDown, storageParametersUp } from './storage-parameters.ts';
import { templateMetadataDown, templateMetadataUp } from './template-metadata.ts';
import { templateVolumeDown, templateVolumeUp } from './template-volume.ts';
import { tokenAudiencesDown, tokenAudiencesUp } from './token-audiences.ts';

export interface Special {
  readonly up: (value: JsonValue, walk: Walk) => JsonValue;
  readonly down: (value: JsonValue, walk: Walk) => JsonValue;
}

const SPECIALS: ReadonlyMap<string, Special> = new Map([
  ['claimAnnotations', { up: claimAnnotationsUp, down: storageAnnotationsDown }],
  ['claimClass', { up: claimClassUp, down: storageClassDown }],
  ['claimTemplateMetadata', { up: claimTemplateMetadataUp, down: claimTemplateMetadataDown }],
  ['defaultAnnotation', { up: defaultAnnotationUp, down: defaultAnnotationDown }],
  ['extendedResource', { up: extendedResourceUp, down: extendedResourceDown }],
  ['globalDefault', { up: globalDefaultUp, down: globalDefaultDown }],
  ['globalDefaultMark', { up: globalDefaultMarkUp, down: globalDefaultMarkDown }],
  ['ingressAnnotations', { up: ingressAnnotationsUp, down: ingressAnnotationsDown }],
  ['quotaScope', { up: quotaScopeUp, down: quotaScopeDown }],
  ['storageParameters', { up: storageParametersUp, down: storageParametersDown }],
  ['volumeAnnotations', { up: volumeAnnotationsUp, down: storageAnnotationsDown }],
  ['volumeClass', { up: volumeClassUp, down: storageClassDown }],
  ['autoscalerAnnotations', { up: autoscalerAnnotationsUp, down: autoscalerAnnotationsDown }],
  ['crdColumn', { up: crdColumnUp, down: asItIs }],
  ['crdConversion', { up: crdConversionUp, down: crdConversionDown }],
  ['crdGroup', { up: crdGroupUp, down: crdGroupDown }],
  ['crdItems', { up: crdItemsUp, down: crdItemsDown }],
  ['crdRules', { up: crdRulesUp, down: asItIs }],
  ['crdNames', { up: crdNamesUp, down: crdNamesDown }],
  ['deletionCondition', { up: deletionConditionUp, down: deletionConditionDown }],
  ['eventObject', { up: eventObjectUp, down: eventObjectDown }],
  ['hostExpression', { up: hostExpressionUp, down: asItIs }],
  ['hostAnnotation', { up: hostAnnotationUp, down: hostAnnotationDown }],
  ['namespaceLabels', { up: namespaceLabelsUp, down: namespaceLabelsDown }],
  ['quotaCount', { up: countUp, down: countDown }],
  ['quotaKey', { up: quotaKeyUp, down: quotaKeyDown }],
  ['templateMetadata', { up: templateMetadataUp, down: templateMetadataDown }],
  ['templateVolume', { up: templateVolumeUp, down: templateVolumeDown }],
  ['tokenAudiences', { up: tokenAudiencesUp, down: tokenAudiencesDown }],
]);

/** @throws {Error} for a name that no file of this folder implements: nothing of that kind may pass then */
export function specialOf(name: string): Special {
  const special = SPECIALS.get(name);
  if (special === undefined)
    throw new Error(`the table of kinds names the special ${JSON.stringify(name)}, which does not exist`);
  return special;
}
