/** 422 for patches, in kube-apiserver's words. */
import { ApiError } from '../errors.ts';

/**
 * A JSON patch that cannot be applied. kube-apiserver never says which operation failed.
 * @param cause for the log
 */
export function unappliable(cause: string): ApiError {
  return new ApiError('ERR_INVALID', 'the server rejected our request due to an error in our request', {
    details: {},
    cause,
  });
}
