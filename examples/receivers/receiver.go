// Receives webhooks of formhost and stores each in a file, once:
//
//	WEBHOOK_SECRET=whsec_… go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	maxBytes = 4 * 1024 * 1024
	maxAge   = 5 * time.Minute
)

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

// isGenuine reports whether a body was signed with the key in the last five minutes. It compares in constant time.
func isGenuine(key, body []byte, id, timestamp, signatures string) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > maxAge {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// There are two for a day after the secret was rotated.
	for _, given := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
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
func receive(key []byte, request *http.Request) int {
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
	header := request.Header.Get
	id := header("webhook-id")
	if !isGenuine(key, body, id, header("webhook-timestamp"), header("webhook-signature")) {
		return http.StatusUnauthorized
	}
	// It becomes the name of a file.
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
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	// With an empty key, anybody could sign.
	if err != nil || len(key) == 0 {
		log.Fatal("Set WEBHOOK_SECRET to the secret of the webhook: whsec_…")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		log.Fatal(err)
	}
	// Longer work is done after the answer, by a program that reads the folder.
	server := &http.Server{
		Addr:        setting("HOST", "127.0.0.1") + ":" + setting("PORT", "8080"),
		ReadTimeout: 20 * time.Second,
		Handler: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			response.WriteHeader(receive(key, request))
		}),
	}
	fmt.Println("listening")
	log.Fatal(server.ListenAndServe())
}
