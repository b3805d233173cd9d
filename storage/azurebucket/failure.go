package azurebucket

import (
	"errors"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/cairn-go/cairn/internal/objectstore"
)

// failure returns what went wrong with a request.
func failure(err error) *objectstore.Failure {
	var answer *azcore.ResponseError
	var final interface{ NonRetriable() }
	switch {
	case errors.As(err, &answer):
		retryAfter := ""
		if answer.RawResponse != nil {
			retryAfter = answer.RawResponse.Header.Get("Retry-After")
		}
		f := objectstore.Answered(answer.StatusCode, answer.ErrorCode, "", retryAfter)
		f.Kind = kind(answer.ErrorCode, f.Kind)
		return f
	case errors.As(err, &final): // nothing was sent
		return &objectstore.Failure{Kind: objectstore.Permanent, Err: err}
	}
	return objectstore.Unanswered(err)
}

// kind returns what follows from an error that has a name, in place of what follows from its
// status.
func kind(code string, byStatus objectstore.Kind) objectstore.Kind {
	switch code {
	case "BlobAlreadyExists", "ConditionNotMet":
		return objectstore.Stale
	case "InvalidBlockList": // another writer has put the blob, and so dropped the blocks
		return objectstore.Lost
	case "ServerBusy":
		return objectstore.Busy
	case "ContainerNotFound", "LeaseIdMissing":
		return objectstore.Permanent
	case "PublicAccessNotPermitted": // 409, to a request without credentials
		return objectstore.Denied
	}
	return byStatus
}
