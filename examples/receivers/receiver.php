<?php
// Receives webhooks of formhost and stores each in a file, once:
//   WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8080 receiver.php

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_AGE_SECONDS = 300;

/** Whether a body was signed with the secret in the last five minutes. Compares in constant time. */
function isGenuine(string $body, string $id, string $timestamp, string $signatures): bool
{
    $key = base64_decode(str_replace('whsec_', '', (string) getenv('WEBHOOK_SECRET')));
    if ($key === '') {
        // With an empty key, anybody could sign.
        throw new Exception('Set WEBHOOK_SECRET to the secret of the webhook: whsec_…');
    }
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > MAX_AGE_SECONDS) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // There are two for a day after the secret was rotated.
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

/** Stores a delivery; false when it is there already. After a crash there is all of it, or nothing. */
function store(string $id, string $body): bool
{
    $folder = getenv('FOLDER') ?: 'deliveries';
    if (!is_dir($folder)) {
        mkdir($folder, 0755, true);
    }
    $path = "$folder/$id.json";
    if (file_exists($path)) {
        return false;
    }
    $incomplete = "$folder/." . bin2hex(random_bytes(16));
    $file = fopen($incomplete, 'x');
    try {
        if (fwrite($file, $body) !== strlen($body) || !fsync($file)) {
            throw new Exception("$incomplete can't be written");
        }
        link($incomplete, $path);
    } finally {
        fclose($file);
        unlink($incomplete);
    }
    return true;
}

/** Stores what is genuine, and says with which status to answer. */
function receive(): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    // The bytes as they came: the signature is about them.
    $body = file_get_contents('php://input', false, null, 0, MAX_BYTES + 1);
    if (strlen($body) > MAX_BYTES) {
        return 413;
    }
    $header = fn (string $name): string => $_SERVER["HTTP_WEBHOOK_$name"] ?? '';
    $id = $header('ID');
    if (!isGenuine($body, $id, $header('TIMESTAMP'), $header('SIGNATURE'))) {
        return 401;
    }
    // It becomes the name of a file.
    if (!preg_match('/^[\w-]+$/D', $id)) {
        return 400;
    }
    // The same id is the same delivery, sent again because an answer was lost: it gets the same answer.
    if (store($id, $body)) {
        error_log("received $id");
    }
    return 204;
}

// A function that fails only warns, unless its warning is an exception.
set_error_handler(fn ($level, $message, $file, $line) => throw new ErrorException($message, 0, $level, $file, $line));
// Longer work is done after the answer, by a program that reads the folder.
try {
    http_response_code(receive());
} catch (Throwable $error) {
    error_log($error);
    http_response_code(500);
}
