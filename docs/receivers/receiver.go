// Receives webhooks of formhost and stores each in a file, once:
//
//	go mod init receiver && go get github.com/standard-webhooks/standard-webhooks/libraries/go
//	WEBHOOK_SECRET=whsec_… go run receiver.go
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const maxBytes = 4 * 1024 * 1024

var (
	idShape = regexp.MustCompile(`^[\w-]+$`)
	folder  = setting("FOLDER", "deliveries")
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// store stores a delivery; false when it is there already. After a crash there is all of it, or nothing.
func store(id string, body []byte) (bool, error) {
	incomplete, err := os.CreateTemp(folder, ".*")
	if err != nil {
		return false, err
	}
	defer os.Remove(incomplete.Name())
	if _, err = incomplete.Write(body); err == nil {
		err = incomplete.Sync()
	}
	if closing := incomplete.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return false, err
	}
	err = os.Link(incomplete.Name(), filepath.Join(folder, id+".json"))
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// receive stores what is genuine, and says with which status to answer.
func receive(webhook *standardwebhooks.Webhook, request *http.Request) int {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	// The bytes as they came: the signature is about them.
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBytes+1))
	if err != nil {
		return http.StatusBadRequest
	}
	if len(body) > maxBytes {
		return http.StatusRequestEntityTooLarge
	}
	// Also refuses a timestamp that is more than five minutes away.
	if err := webhook.Verify(body, request.Header); err != nil {
		return http.StatusUnauthorized
	}
	id := request.Header.Get(standardwebhooks.HeaderWebhookID)
	if !idShape.MatchString(id) {
		return http.StatusBadRequest
	}
	// The same id is the same delivery, sent again because an answer was lost: it gets the same answer.
	isNew, err := store(id, body)
	if err != nil {
		log.Print(err)
		return http.StatusInternalServerError
	}
	if isNew {
		fmt.Println("received", id)
	}
	return http.StatusNoContent
}

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		log.Fatal(err)
	}
	// What takes long is done after the answer: by a program that reads the folder.
	server := &http.Server{
		Addr:        setting("HOST", "127.0.0.1") + ":" + setting("PORT", "8080"),
		ReadTimeout: 20 * time.Second,
		Handler: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			response.WriteHeader(receive(webhook, request))
		}),
	}
	fmt.Println("listening")
	log.Fatal(server.ListenAndServe())
}
