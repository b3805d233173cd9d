package s3bucket

import (
	"errors"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/transport/http"

	"github.com/cairn-go/cairn/internal/objectstore"
)

const noSuchKey = "NoSuchKey"

// failure returns what went wrong with a request, nil for nil.
func failure(err error) *objectstore.Failure {
	if err == nil {
		return nil
	}

	var code, detail string
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
		detail = api.ErrorMessage()
	}

	var response *http.ResponseError
	var sending *http.RequestSendError
	var decoding *smithy.DeserializationError

	switch {
	case errors.As(err, &response) && response.HTTPStatusCode() >= 300:
		f := objectstore.Answered(response.HTTPStatusCode(), code, detail, response.Response.Header.Get("Retry-After"))
		f.Kind = kind(code, f.Kind)
		return f
	case api != nil: // CompleteMultipartUpload answers 200 before it knows whether it succeeds
		f := objectstore.Answered(200, code, detail, "")
		f.Kind = kind(code, objectstore.Doubtful)
		return f
	case errors.As(err, &sending), errors.As(err, &decoding), response != nil:
		return objectstore.Unanswered(err)
	}
	return &objectstore.Failure{Kind: objectstore.Permanent, Err: err} // nothing was sent
}

// kind returns what follows from an error that has a name, in place of what follows from its
// status.
func kind(code string, byStatus objectstore.Kind) objectstore.Kind {
	switch code {
	case "SlowDown", "Throttling", "ThrottlingException", "TooManyRequests",
		// Another conditional request for the key is being carried out.
		"ConditionalRequestConflict", "OperationAborted":
		return objectstore.Busy
	case "PreconditionFailed":
		return objectstore.Stale
	case "RequestTimeout", "InternalError":
		return objectstore.Doubtful
	case "NoSuchBucket":
		return objectstore.Permanent
	case "NoSuchUpload", "InvalidPart":
		return objectstore.Lost
	}
	return byStatus
}
