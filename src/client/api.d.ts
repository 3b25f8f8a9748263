/* Made by `npm run docs:api`: change the declarations of the endpoints. */

export interface paths {
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a browser in with an API key
         * @description Sets a cookie that stands for the key on every endpoint, for 30 days since its last use, and no longer than the key works. It is read only from requests of pages of the service itself (`Sec-Fetch-Site: same-origin`, or its `Origin`).
         */
        post: operations["signIn"];
        /**
         * Sign this browser out
         * @description Ends the session of the cookie.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the browsers that are signed in
         * @description All sessions of the owner, newest first.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Sign all browsers out
         * @description Ends all sessions of the owner. Keys stay as they are.
         */
        delete: operations["signOutEverywhere"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign one browser out */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a link by mail that signs a browser in
         * @description If an owner has this address and a valid key, a mail brings a link that works once, for 15 minutes. The answer is the same if not.
         */
        post: operations["askForSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the owner of the key
         * @description With the plan, what it allows, and what this service can do.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change your time zone or your e-mail address
         * @description A field that is left out stays as it is. A new address gets a mail with a link, which works once, for 24 hours; `email` changes when it is opened, and the old address gets a mail that says so. A change that waits ends with your present address, a revoked key, or `DELETE /sessions`.
         */
        patch: operations["changeMe"];
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your API keys
         * @description Newest first, without revoked ones.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Make an API key
         * @description For another program or person, with a name by which you recognize it. An owner has at most 1000 keys.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Every process refuses it within a second. A key may revoke itself. The last full key of an owner can be revoked on the command line only.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See your deployments at a glance
         * @description Newest first, without deleted ones.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/overview/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See one deployment at a glance */
        get: operations["getDeploymentOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your deployments
         * @description Newest first, without deleted ones.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Create a deployment
         * @description Publishes an HTML page, or a site with files, at a host of its own. The body is JSON, the page itself as `text/html`, or the site as `application/zip`, with the slug in the query. An absent body reads as `{}`, and unknown fields are ignored.
         */
        post: operations["createDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of a deployment
         * @description With the number of its submissions. `GET /deploy/{id}/html` returns the page itself.
         */
        get: operations["getDeployment"];
        /**
         * Replace the HTML of a deployment
         * @description Address and slug stay the same. The new page is live at once. The body is JSON, the page itself as `text/html`, or a site as `application/zip`. Without `files`, the files of a site stay; with them, or in a zip, all are replaced.
         */
        put: operations["replaceHtml"];
        post?: never;
        /**
         * Delete a deployment
         * @description The page goes offline. Its slug becomes free, and it no longer counts for the limit of the plan. For some days (TRASH_DAYS) it is in the trash, with its submissions.
         */
        delete: operations["deleteDeployment"];
        options?: never;
        head?: never;
        /**
         * Change the settings of a deployment
         * @description Fields that are left out stay as they are. A header says so when mail is switched on and none can be sent, or when a form lacks the widget of the captcha.
         */
        patch: operations["changeSettings"];
        trace?: never;
    };
    "/deploy/{id}/html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the HTML of a deployment
         * @description As it was sent, including `{{FORM_ACTION}}`.
         */
        get: operations["getHtml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the settings of a deployment
         * @description All that can be changed by PATCH, as it is now.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the forms of a page before it is published
         * @description Reads HTML as browsers do, and returns its forms, their fields with labels, and what keeps them from arriving. It stores nothing, and runs no scripts: where one may send a form, its attributes are no problem. The body is JSON, or the page itself as `text/html`.
         */
        post: operations["checkHtml"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the forms of a live page
         * @description Returns the same as `POST /check`, for the live page; of a site, for all of its HTML files, index.html first. `captcha-missing`: a form lacks the widget of the captcha that the settings switch on, and the service does not add it.
         */
        get: operations["checkDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a page
         * @description Newest first. Each change of the HTML or of the files makes one; the last 20 are kept (PAGE_VERSIONS). PUT with the HTML that is live makes none.
         */
        get: operations["listVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/versions/{version}/html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the HTML of a version
         * @description As it was sent, including `{{FORM_ACTION}}`.
         */
        get: operations["getVersionHtml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version
         * @description Its HTML and its files are live at once, as a new version: what was live stays in the list.
         */
        post: operations["restoreVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a deployment
         * @description With its `index.html`, which is first; the others follow by their paths. A single page has no others.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of a deployment
         * @description As it was sent, and always as an attachment.
         */
        get: operations["getSiteFile"];
        /**
         * Add or replace a file of a deployment
         * @description The body is the content, whatever its content type: the extension of the path says the type. It makes a new version, as each change does. `index.html` is the page itself.
         */
        put: operations["putSiteFile"];
        post?: never;
        /**
         * Remove a file of a deployment
         * @description It makes a new version. `index.html` stays: delete the deployment instead.
         */
        delete: operations["deleteSiteFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the domains of a page
         * @description Oldest first. The page is served at each that is `live`, besides its own address.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a domain to a page
         * @description Add the `records` of the answer to DNS; the service looks them up at once, and again later. At most 10 a deployment. A domain that the deployment has already stays as it is.
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/domains/{domain}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look a domain up in DNS now
         * @description Requests at the same time share a look-up. An owner may ask for 10 in a minute.
         */
        post: operations["checkDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a domain from a page
         * @description The page is no longer served there.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count submissions by hour or day
         * @description A bucket for each hour or day, oldest first, at most 1000. Deleted submissions are not counted.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your deleted deployments
         * @description The last deleted first. They are kept for 30 days (TRASH_DAYS), until they are restored or deleted for good, and count for the storage of the plan.
         */
        get: operations["listTrash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a deleted deployment
         * @description With its page, its submissions and their files, its webhooks and its settings. It counts for the limit of the plan again.
         */
        post: operations["restoreDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a deployment for good
         * @description With all that it has. It is out of reach at once. Millions of submissions take minutes to be removed. Only for a deleted deployment.
         */
        delete: operations["purgeDeployment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submit/{deployId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a form
         * @description The forms of deployed pages post to it; it needs no key. Accepts any fields, in UTF-8: a JSON object (nested at most 100 levels; its text is kept as it is), or a form (names are literal; a name that repeats becomes a list). At most 1000 fields and 262144 bytes of names and values, and in multipart 10 files of 10485760 bytes each, 26214400 together. Answered once it is stored. Fields named here are an example. `_hp` is a honeypot for robots: if it is filled in, the answer is that of a success, and nothing is stored or delivered. Control fields of Formspree, FormSubmit, Basin, Web3Forms and Netlify Forms have their meaning here too, and a submission with a honeypot of theirs that is filled in is spam. 415, 413 and 400 may come before 404. Every answer, errors included, has `Access-Control-Allow-Origin: *`. A browser that posts a form (urlencoded or multipart, with an Accept that names text/html) gets a 303 after a success, and a small page with the same status after an error. The pages speak 12 languages. A GET is a 405, for such a browser as a page that says what is wrong with the form.
         */
        post: operations["submit"];
        delete?: never;
        /**
         * Allow pages of any origin to submit (CORS preflight)
         * @description Browsers send it by themselves (CORS). Any origin may submit, with any headers, without credentials.
         */
        options: operations["submitPreflight"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submit/{deployId}/thanks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Thank a visitor
         * @description What a browser shows after a success: a small page with a link back to the form's page. It says nothing of the submission. The host of each page has the same at `/thanks`.
         */
        get: operations["getThanks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the submissions of a deployment
         * @description Newest first.
         */
        get: operations["listSubmissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/{submissionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a submission
         * @description One submission, in the shape in which the list has it.
         */
        get: operations["getSubmission"];
        put?: never;
        post?: never;
        /**
         * Delete a submission
         * @description Permanently, with its files and its pending deliveries.
         */
        delete: operations["deleteSubmission"];
        options?: never;
        head?: never;
        /**
         * Mark a submission as read, or with a star
         * @description A mark that is left out stays as it is. Returns the submission as a search shows it.
         */
        patch: operations["markSubmission"];
        trace?: never;
    };
    "/submissions/{deployId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a test
         * @description Stores a submission with these fields, and `test`, which says that it is one. Webhooks and mail get it, and it counts for the limits of the form, which has to be open. It is not checked for spam, and nobody gets a confirmation.
         */
        post: operations["submitTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search submissions
         * @description Newest first. A request works for 1 second at most: it returns what it has found by then, and the `next_cursor` for the rest.
         */
        get: operations["searchSubmissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark, delete or keep apart many submissions
         * @description If it fails, some of them may have been changed: send it again. With a `filter`, one request changes as many as it finds in 1 second, at most 1000: send it again with the `next_cursor` until that is null.
         */
        post: operations["changeSubmissions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the submissions of all your deployments
         * @description Newest first, without those of deleted deployments. A request works for 1 second at most: it returns what it has found by then, and the `next_cursor` for the rest.
         */
        get: operations["searchInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/after/{cursor}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the submissions after a cursor, and wait for new ones
         * @description Oldest first: what was accepted after the cursor, which is `0`, the id of a submission, or the `cursor` of the last answer. A client that goes on from each cursor gets every submission once. A response may have fewer than `limit` large submissions. At most 2000 requests of an owner wait.
         */
        get: operations["listSubmissionsAfter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream new submissions
         * @description Server-Sent Events: `event: submission`, `id:` a cursor, `data:` the submission as it is listed; and comments. Begins after the `Last-Event-ID` that browsers send when they connect again, else now. It ends when the key or the deployment ends, or the service restarts.
         */
        get: operations["streamSubmissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/{submissionId}/files/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of a submission
         * @description As it was sent, and always as an attachment.
         */
        get: operations["getFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/export.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all submissions of a deployment as CSV
         * @description Oldest first, RFC 4180 with a header row: `id`, `created_at`, `ip_address`, then the fields in the order in which they first appear, without control fields such as `_redirect` and an empty `_hp`. An apostrophe is put before what a spreadsheet would run as a formula. With the parameters of the search, only what that finds. A 503 can also mean that too many exports are in progress.
         */
        get: operations["exportCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/export.xlsx": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all submissions of a deployment as an Excel workbook
         * @description Oldest first, the columns of the CSV export, with numbers, booleans and dates (`created_at`, UTC) as such and everything else as text. When a sheet is full, another one follows. A text over 32767 characters is cut and ends in `…`. With the parameters of the search, only what that finds. A 503 can also mean that too many exports are in progress.
         */
        get: operations["exportXlsx"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submissions/{deployId}/export.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all submissions of a deployment as lines of JSON
         * @description Oldest first, each line a submission as the list has it. With the parameters of the search, only what that finds. A 503 can also mean that too many exports are in progress.
         */
        get: operations["exportNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/spam": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is kept as spam
         * @description Newest first. Its senders have got the answer of a success. It is in no list, count, export, webhook or mail until it is released. A deployment keeps its last 1000, for 30 days; what comes beyond 60 a minute is dropped. Its files have at most 50 MB together: those of the oldest are removed, and their links return 404.
         */
        get: operations["listSpam"];
        put?: never;
        post?: never;
        /**
         * Delete all spam of a deployment
         * @description Permanently, with its files.
         */
        delete: operations["emptySpam"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/spam/{submissionId}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a submission: it is no spam
         * @description It is accepted like a new one, with the present time and deliveries, even if the form is closed or full. It keeps its id.
         */
        post: operations["releaseSpam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/spam/{submissionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete spam
         * @description Permanently, with its files.
         */
        delete: operations["deleteSpam"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/altcha.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get ALTCHA's widget
         * @description A module for pages of any origin. It loads nothing else but challenges.
         */
        get: operations["getWidget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/altcha/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a challenge for a form
         * @description ALTCHA's widget asks for it. Its solution counts once, for this deployment and for 20 minutes.
         */
        get: operations["getChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{deployId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of a deployment
         * @description Oldest first.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Each submission from now on is posted to its address. At most 50 a deployment.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{deployId}/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Its pending deliveries are deleted too.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook, switch it off or on
         * @description Fields that are left out stay as they are.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/webhooks/{deployId}/{webhookId}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the secret of a webhook
         * @description The secret that signs its deliveries now. Receivers need it to verify them.
         */
        get: operations["getWebhookSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{deployId}/{webhookId}/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description For 24 hours the previous secret signs as well. At most three secrets sign at a time.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{deployId}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See which webhooks of a deployment fail
         * @description All webhooks, oldest first.
         */
        get: operations["getWebhooksHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{deployId}/{webhookId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try the failed deliveries of a webhook again
         * @description At once, or when the webhook is switched on again. One request tries at most 1,000, the oldest first.
         */
        post: operations["retryWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{deployId}/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample submission to a webhook
         * @description It is sent like any other delivery: the log shows its outcome. No submission is stored. It counts as one of the 20 tests that an owner may send in a minute, to webhooks and by mail together.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{deployId}/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Newest first. Finished deliveries are kept for 30 days (DELIVERY_LOG_DAYS).
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a delivery again
         * @description It is tried at once, whatever its status, or when the webhook is on again. One that is being attempted does not change.
         */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the mails about a deployment
         * @description Newest first: about submissions, confirmations to visitors, and tests; no mails that ask recipients, and no notices. Finished deliveries are kept for 30 days (DELIVERY_LOG_DAYS).
         */
        get: operations["listMails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/mails/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample mail
         * @description To each confirmed recipient, or the owner, also while `email_notifications` is off. No submission is stored. It counts as one of the 20 tests that an owner may send in a minute, to webhooks and by mail together.
         */
        post: operations["testMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/mails/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a mail again
         * @description It is tried at once, whatever its status. One that is being attempted does not change. One that has succeeded counts as one of the 20 tests that an owner may send in a minute, to webhooks and by mail together.
         */
        post: operations["retryMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deploy/{id}/confirmation/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a preview of the confirmation
         * @description To the owner: the mail that visitors get, with an example of a reference. It counts as one of the 20 tests that an owner may send in a minute, to webhooks and by mail together.
         */
        post: operations["previewConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/files/{deployId}/{submissionId}/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file by the link in a mail
         * @description As with an API key. A link works for 7 days, while the file exists. Errors are small HTML pages.
         */
        get: operations["openFileLink"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unsubscribe/{deployId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether to stop the mails about a deployment
         * @description A page with a button. It changes nothing: software that checks the links of mails opens it as well.
         */
        get: operations["askToUnsubscribe"];
        put?: never;
        /**
         * Stop the mails about a deployment (RFC 8058)
         * @description Sets `email_notifications` of the deployment to false, or `notify_owner` where a recipient gets the mail too. The link of `List-Unsubscribe` in each mail (its body, `List-Unsubscribe=One-Click`, is not read) works while the deployment exists.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unsubscribe/{deployId}/{recipientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask a recipient whether to stop the mails about a deployment
         * @description A page with a button. It changes nothing: software that checks the links of mails opens it as well.
         */
        get: operations["askRecipientToUnsubscribe"];
        put?: never;
        /**
         * Stop the mails to a recipient (RFC 8058)
         * @description Ends the mails about the deployment to one of its `recipients`, who is no longer confirmed. The link of `List-Unsubscribe` in each mail (its body, `List-Unsubscribe=One-Click`, is not read) works while the recipient is in the list.
         */
        post: operations["unsubscribeRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/confirm/{deployId}/{recipientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask a recipient whether to send mail about a deployment
         * @description A page with a button. It changes nothing: software that checks the links of mails opens it as well.
         */
        get: operations["askToConfirm"];
        put?: never;
        /**
         * Confirm a recipient
         * @description From now on the recipient gets mail about the deployment, while it is in `recipients`. The link in the mail to a new recipient works for 7 days.
         */
        post: operations["confirmRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/spam/{deployId}/{submissionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether a submission is spam
         * @description A page with a button. It changes nothing: software that checks the links of mails opens it as well.
         */
        get: operations["askToMoveToSpam"];
        put?: never;
        /**
         * Move a submission into the spam folder
         * @description The link is in the mail to the owner about the submission, and works while the submission exists.
         */
        post: operations["moveToSpam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the tools for agents, over the Model Context Protocol
         * @description MCP over Streamable HTTP, in the version 2025-11-25 and some before, without sessions and streams: a message of JSON-RPC gets an answer in JSON. Each tool calls an endpoint of this API, with its checks and limits, and returns its answer. A key with the scope `read` has only the tools that read. A session of the dashboard is no key. Pages of any origin may call it.
         */
        post: operations["sendMcpMessage"];
        delete?: never;
        /**
         * Allow pages of any origin to send messages (CORS preflight)
         * @description Browsers send it by themselves (CORS). Any origin may send messages, without cookies.
         */
        options: operations["mcpPreflight"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/llms.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what an agent needs to know, in one page
         * @description In Markdown, with commands that can be run as they are. With an ETag; 304 where the client has it.
         */
        get: operations["getLlmsTxt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the addresses of the reference, and where agents begin
         * @description For those who know the address of the service only. A browser is sent to the dashboard.
         */
        get: operations["getPlaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document
         * @description With an ETag; 304 where the client has it.
         */
        get: operations["getReference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document as a page that can send requests
         * @description The page loads its parts from this service only. With an ETag; 304 where the client has it.
         */
        get: operations["getReferencePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/security.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the contact for abuse and vulnerabilities (RFC 9116)
         * @description Answered on the hosts of pages too, if the operator has set ABUSE_CONTACT.
         */
        get: operations["getSecurityTxt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is up
         * @description For software that restarts the process. It needs no database, and works while the service starts.
         */
        get: operations["isUp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the database is reached, migrated and no standby
         * @description For load balancers: a process that returns 503 gets no requests until it is ready again. A process that is told to stop returns 503.
         */
        get: operations["isReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    submission: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a submission
         * @description A webhook of the type `generic` receives this for each submission. Verify the signature over the bytes of the body; headers that begin with `formhost-` are not signed. The body and the id are the same on every attempt.
         */
        post: operations["receiveSubmission"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    slackMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a submission as a Slack message
         * @description A webhook of the type `slack` receives this for each submission: blocks for Slack's incoming webhooks.
         */
        post: operations["receiveSlackMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        WebhookPayload: {
            /** @enum {string} */
            event: "submission";
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            deployment_id: string;
            /**
             * @description The fields, exactly as submitted. A file is `{"filename","content_type","size","url"}`.
             * @example {
             *       "name": "Ada",
             *       "email": "ada@example.org"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the form was submitted: ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            timestamp: string;
        };
        SlackPayload: {
            /** @description In this order: a header with the slug, up to 10 fields of the form, and the time. */
            blocks: ({
                /** @enum {string} */
                type: "header" | "section" | "context";
            } & {
                [key: string]: unknown;
            })[];
        };
        SignedIn: {
            /** @example you@example.com */
            email: string;
            /** @example unlimited */
            plan: string;
        };
        Error: {
            /** @description A sentence that says what to do. */
            error: string;
        };
        Sessions: {
            sessions: components["schemas"]["Session"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        Session: {
            /**
             * @description A session's id.
             * @example ses_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
            /**
             * Format: date-time
             * @description When the browser signed in.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description To the hour.
             * @example 2026-11-21T11:08:48.298Z
             */
            last_used_at: string;
            /**
             * @description The browser, as it calls itself: the first 300 characters of its User-Agent; null where it is not known.
             * @example Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0
             */
            user_agent: string | null;
            /**
             * @description Whether it is the session of this request.
             * @example true
             */
            current: boolean;
        };
        SessionEnded: {
            /** @constant */
            message: "Session ended";
            /**
             * @description A session's id.
             * @example ses_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
        };
        Me: {
            /**
             * @description The owner's e-mail address.
             * @example you@example.com
             */
            email: string;
            /**
             * @description The owner's plan.
             * @example free
             */
            plan: string;
            /**
             * @description How many live deployments the plan allows; null for any number.
             * @example 3
             */
            deployment_limit: number | null;
            /**
             * @description How many live deployments there are.
             * @example 1
             */
            deployments: number;
            /**
             * @description How many bytes the plan allows to be stored; null for any number.
             * @example 1000000000
             */
            storage_limit: number | null;
            /**
             * @description How many bytes pages, their versions and files of submissions have, those in the trash and in spam included.
             * @example 21548
             */
            storage_used: number;
            /**
             * @description Whether this service can send mail.
             * @example true
             */
            mail: boolean;
            /**
             * @description The version of this service.
             * @example 1.0.0
             */
            version: string;
            /**
             * @description The time zone of the times in mails, by its IANA name; null: UTC.
             * @example Europe/Berlin
             */
            time_zone: string | null;
        };
        Keys: {
            keys: components["schemas"]["Key"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        Key: {
            /**
             * @description A key's id, which is not the key.
             * @example key_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
            /**
             * @description null for a key that was made without one.
             * @example Website build
             */
            name: string | null;
            /**
             * @description The first 8 characters of the key; null for an old one.
             * @example fh_Tk3vQ
             */
            prefix: string | null;
            /**
             * @description `full`: everything. `read`: GET and HEAD, except for webhook secrets and keys.
             * @example full
             * @enum {string}
             */
            scope: "full" | "read";
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * @description null: never.
             * @example null
             */
            expires_at: string | null;
            /** @description To the minute; null: never used. */
            last_used_at: string | null;
        };
        MadeKey: {
            /**
             * @description A key's id, which is not the key.
             * @example key_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
            /**
             * @description null for a key that was made without one.
             * @example Website build
             */
            name: string | null;
            /**
             * @description The first 8 characters of the key; null for an old one.
             * @example fh_Tk3vQ
             */
            prefix: string | null;
            /**
             * @description `full`: everything. `read`: GET and HEAD, except for webhook secrets and keys.
             * @example full
             * @enum {string}
             */
            scope: "full" | "read";
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * @description null: never.
             * @example null
             */
            expires_at: string | null;
            /**
             * @description The key itself, which is shown this once: only its hash is stored.
             * @example fh_Tk3vQ0000000000000000000000000000000000000000
             */
            key: string;
        };
        KeyRevoked: {
            /** @constant */
            message: "Key revoked";
            /**
             * @description A key's id, which is not the key.
             * @example key_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
        };
        Overview: {
            deployments: components["schemas"]["OverviewedDeployment"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        OverviewedDeployment: {
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
            /**
             * @description The label of the page's host.
             * @example spring-sale
             */
            slug: string;
            /**
             * Format: uri
             * @description The address of the page.
             * @example https://spring-sale.pages.example.net
             */
            url: string;
            /**
             * @description The page's title; null without one.
             * @example Spring sale
             */
            title: string | null;
            /**
             * Format: uri
             * @description The address to which its forms post.
             * @example https://forms.example.org/submit/d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            form_action: string;
            /**
             * @description How many submissions it has.
             * @example 3
             */
            submission_count: number;
            /**
             * @description How many of them are not marked as read.
             * @example 1
             */
            unread: number;
            /**
             * @description How many submissions are kept apart as spam.
             * @example 0
             */
            spam: number;
            /**
             * @description How often its honeypot (`_hp`) was filled in during the last seven days of UTC, which stores nothing. It comes up to a minute later.
             * @example 0
             */
            honeypots: number;
            /**
             * @description About how often its form refused a submission with a 429 during the last seven days of UTC. It comes up to a minute later, and a process that crashes loses its last minute. `submissions_per_minute` is the limit.
             * @example 0
             */
            turned_away: number;
            /** @description When the last one was accepted; null without one. */
            last_submission_at: string | null;
            /**
             * @description Whether there is mail about submissions.
             * @example false
             */
            email_notifications: boolean;
            /**
             * @description How many of its webhooks have failed since they last succeeded.
             * @example 0
             */
            failing_webhooks: number;
            /**
             * @description Whether the operator has taken the page down.
             * @example false
             */
            taken_down: boolean;
            /**
             * @description Why, in the words of the operator; null for a page that is up.
             * @example phishing
             */
            take_down_reason: string | null;
            /**
             * Format: date-time
             * @description When its HTML or its settings were last changed.
             * @example 2026-11-21T11:08:48.298Z
             */
            updated_at: string;
        };
        Deployments: {
            deployments: components["schemas"]["Deployment"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        Deployment: {
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
            /**
             * @description The label of the page's host.
             * @example spring-sale
             */
            slug: string;
            /** @constant */
            status: "active";
            /**
             * Format: uri
             * @description The address of the page.
             * @example https://spring-sale.pages.example.net
             */
            url: string;
            /**
             * @description How many submissions it has.
             * @example 3
             */
            submission_count: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its HTML or its settings were last changed.
             * @example 2026-11-21T11:08:48.298Z
             */
            updated_at: string;
        };
        Deployed: {
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
            /**
             * Format: uri
             * @description The address of the page.
             * @example https://spring-sale.pages.example.net
             */
            url: string;
            /**
             * @description The label of the page's host.
             * @example spring-sale
             */
            slug: string;
        };
        DeploymentDeleted: {
            /** @constant */
            message: "Deployment deleted";
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
        };
        SettingsChanged: {
            /** @constant */
            success: true;
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
        };
        Html: {
            /**
             * @description The page as it was sent.
             * @example <!doctype html><title>Spring sale</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form>
             */
            html: string;
        };
        Settings: {
            /** @description Whether there is mail about submissions, if the service has a mail server. At first: `false`. */
            email_notifications: boolean;
            /**
             * @description `submission`: a mail for each. `hour` and `day`: one mail that lists what came in an hour or a day of UTC. After a change, what no mail has listed is mailed at once. At first: `"submission"`.
             * @enum {string}
             */
            notify_every: "submission" | "hour" | "day";
            /** @description Whether the owner gets the mail besides the recipients. While no recipient has confirmed, the owner gets it in any case. At first: `true`. */
            notify_owner: boolean;
            /** @description The addresses that get the mail besides the owner, in the order in which they were sent. */
            recipients: {
                /**
                 * @description The address, in lower case.
                 * @example ada@example.org
                 */
                email: string;
                /**
                 * @description Whether it has confirmed, or is the owner's own.
                 * @example true
                 */
                confirmed: boolean;
            }[];
            /** @description Where a visitor's browser is sent after a success, unless the form's own `_redirect` is valid. null: to a page that thanks. At first: `null`. */
            redirect_url: string | null;
            /** @description Origins of sites whose pages may submit, besides the page's own; submissions from others are a 403. `_redirect` may lead to them. Requests without an `Origin` are no browser's, and are accepted. Empty: all. At first: `[]`. */
            allowed_origins: string[];
            /** @description The language of the pages that visitors see after they have sent a form. null: that of the page's `<html lang>`, else one of the browser's Accept-Language, else English. At first: `null`. */
            language: ("en" | "de" | "fr" | "es" | "pt" | "it" | "nl" | "pl" | "tr" | "ja" | "zh" | "ar") | null;
            /** @description Submissions that are older, with their files, are deleted within a day. null: never. At first: `null`. */
            retention_days: number | null;
            /** @description Submissions before this time are a 403. It is before `closes_at`. null: the form is open. At first: `null`. */
            opens_at: string | null;
            /** @description Submissions from this time on are a 403. null: the form stays open. At first: `null`. */
            closes_at: string | null;
            /** @description While there are so many submissions, further ones are a 403. Deleting one frees its place. Spam takes none, and is accepted when you release it, even if the form is full or closed. null: no limit. At first: `null`. */
            max_submissions: number | null;
            /** @description How many submissions are accepted in any 60 seconds; beyond that, a 429. Spam does not count. null: 10. At first: `null`. */
            submissions_per_minute: number | null;
            /** @description The `error` of these 403s, and what visitors read on the page that they get. null: a text in the language of the page. At first: `null`. */
            closed_message: string | null;
            /** @description Submissions are kept apart as spam if their names or values have a word of `blocklist`, as a whole word, whatever the case (`casino*`: a word that begins with it), or if they lack a valid token of `captcha`. Both are replaced, except for the provider's secret. At first: `{"blocklist":[],"captcha":null}`. */
            spam: {
                /** @default [] */
                blocklist: string[];
                /** @default null */
                captcha: {
                    /** @enum {string} */
                    provider: "altcha" | "turnstile" | "hcaptcha" | "recaptcha";
                    /** @description The public key of the form at the provider. */
                    site_key?: string;
                    /** @description The secret that belongs to it. It is never read back; left out, the one of the same provider stays. Not for altcha. */
                    secret?: string;
                } | null;
            };
            /** @description A mail to the visitor, from the service, after a submission is accepted: to the one plain address that is in `field`, once a day at most. In `subject` and `text`, `{{reference}}` is the id of the submission, `{{page}}` the address of the page, and `{{date}}` the day. null: none. At first: `null`. */
            confirmation: {
                /** @description The name of the field with the visitor's address. */
                field: string;
                subject: string;
                text: string;
            } | null;
        };
        CheckedPage: {
            /**
             * @description The page's title, at most 200 characters; null without one.
             * @example Spring sale
             */
            title: string | null;
            /**
             * @description The `lang` of `<html>` as it is written; null without one.
             * @example null
             */
            lang: string | null;
            /** @description The forms in the order of the page, at most 1000; not those in a `<template>`. */
            forms: components["schemas"]["CheckedForm"][];
            /** @description In the order of the page, at most 20 of each code. Empty: the page is as it should be. */
            problems: components["schemas"]["Problem"][];
        };
        CheckedForm: {
            /**
             * @description The attribute as it is written; null without one.
             * @example {{FORM_ACTION}}
             */
            action: string | null;
            /** @enum {string} */
            method: "post" | "get" | "dialog";
            /** @enum {string} */
            enctype: "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain";
            /**
             * @description Whether it posts to the address that receives what the page sends, by its own attributes or by those of a button; scripts are not followed. For HTML that is not published: to that of any page.
             * @example true
             */
            submits_here: boolean;
            /** @description What it sends, in the order of the page. Controls that are disabled or have no name are left out, and several radio buttons, checkboxes or buttons with one name are one field. */
            fields: components["schemas"]["FormField"][];
        };
        FormField: {
            /**
             * @description The name under which it is sent.
             * @example email
             */
            name: string;
            /**
             * @description What people call it, at most 200 characters: its `<label>`, by `for` or around it, else `aria-labelledby`, `aria-label` or the placeholder. Of radio buttons and checkboxes with one name: the `<legend>` of a `<fieldset>` that has only them, or the label of an element around them with the role `group` or `radiogroup`. null without one, and for hidden fields and buttons.
             * @example null
             */
            label: string | null;
            /**
             * @description `select`, `textarea`, or the type of the `<input>` or `<button>`, such as `email`.
             * @example text
             */
            type: string;
            /**
             * @description Whether a browser sends the form only when it is filled in.
             * @example false
             */
            required: boolean;
            /**
             * @description What can be chosen: the options of a `<select>`, the radio buttons, checkboxes or buttons with this name. null where anything can be entered.
             * @example null
             */
            options: components["schemas"]["FormOption"][] | null;
        };
        FormOption: {
            /** @description What is sent when it is chosen. */
            value: string;
            /** @description What people read; null without a label. */
            label: string | null;
        };
        Problem: {
            /**
             * @example no-submit-button
             * @enum {string}
             */
            code: "no-form" | "placeholder-misspelt" | "form-goes-elsewhere" | "method-get" | "field-without-name" | "file-without-multipart" | "no-submit-button" | "reserved-name" | "foreign-field" | "relative-asset" | "missing-file" | "insecure-asset" | "too-many-fields" | "captcha-missing";
            /**
             * @description `error`: what visitors enter does not arrive. `warning`: it may not, or something else does not work.
             * @example warning
             * @enum {string}
             */
            severity: "error" | "warning";
            /**
             * @description A sentence that says what to write.
             * @example The form has no button that sends it: write <button>Send</button> before </form>.
             */
            message: string;
            /**
             * @description Where it is in the HTML: its line. 1 for `no-form`.
             * @example 1
             */
            line: number;
            /**
             * @description The HTML file of a site that has it; absent where the page has no files.
             * @example about.html
             */
            file?: string;
            /**
             * @description The place in the line, in UTF-16 units: where the tag begins, or the text in a script or a style.
             * @example 42
             */
            column: number;
        };
        Versions: {
            versions: components["schemas"]["Version"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        Version: {
            /**
             * @description Rises by one with each change of the page.
             * @example 1
             */
            version: number;
            /**
             * Format: date-time
             * @description When it went live.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * @description The length of its HTML and its files, in bytes.
             * @example 113
             */
            bytes: number;
            /**
             * @description Whether it is what visitors see.
             * @example true
             */
            live: boolean;
        };
        SiteFiles: {
            files: components["schemas"]["SiteFile"][];
            /**
             * @description The length of all files.
             * @example 137
             */
            total_bytes: number;
        };
        SiteFile: {
            /**
             * @description Its path at the address of the page.
             * @example styles/main.css
             */
            path: string;
            /**
             * @description Its length.
             * @example 24
             */
            bytes: number;
            /**
             * @description The type under which visitors get it: its extension says it.
             * @example text/css; charset=utf-8
             */
            content_type: string;
            /**
             * @description The SHA-256 of its content, in hex.
             * @example b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9
             */
            sha256: string;
        };
        SiteFileRemoved: {
            /** @constant */
            message: "File removed";
            /**
             * @description The path that the file had.
             * @example styles/main.css
             */
            path: string;
        };
        Domains: {
            domains: components["schemas"]["CustomDomain"][];
        };
        CustomDomain: {
            /**
             * @description In lower case, with `xn--` for letters beyond ASCII.
             * @example forms.shop.example
             */
            domain: string;
            /**
             * @description `pending` until DNS has the record that proves it; `live`: the page is served there; `broken`: the proof has gone, and nothing is served.
             * @enum {string}
             */
            status: "pending" | "live" | "broken";
            /**
             * @description The records to add to DNS.
             * @example [
             *       {
             *         "type": "TXT",
             *         "name": "_formhost.forms.shop.example",
             *         "value": "formhost-verification=0b6f7a1c9d2e4f508192a3b4c5d6e7f8",
             *         "purpose": "ownership"
             *       },
             *       {
             *         "type": "CNAME",
             *         "name": "forms.shop.example",
             *         "value": "contact.pages.example.net",
             *         "purpose": "traffic"
             *       }
             *     ]
             */
            records: components["schemas"]["DomainRecord"][];
            /**
             * @description The records that are wrong or missing, with what DNS answered.
             * @example null
             */
            problem: string | null;
            /** @description When DNS was asked last; null: never. */
            checked_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
        };
        DomainRecord: {
            /**
             * @description `ALIAS` for a domain such as shop.example, for which DNS allows no CNAME record: `value` is a sentence then.
             * @enum {string}
             */
            type: "TXT" | "CNAME" | "ALIAS";
            /**
             * @description The name of the record.
             * @example _formhost.forms.shop.example
             */
            name: string;
            /**
             * @description Its value.
             * @example formhost-verification=0b6f7a1c9d2e4f508192a3b4c5d6e7f8
             */
            value: string;
            /**
             * @description The record for ownership proves the domain, that for traffic leads visitors to the page.
             * @enum {string}
             */
            purpose: "ownership" | "traffic";
        };
        DomainRemoved: {
            /** @constant */
            message: "Domain removed";
            /**
             * @description In lower case, with `xn--` for letters beyond ASCII.
             * @example forms.shop.example
             */
            domain: string;
        };
        Statistics: {
            buckets: {
                /**
                 * Format: date-time
                 * @description When the hour or day begins.
                 * @example 2026-11-21T23:00:00.000Z
                 */
                start: string;
                /**
                 * @description How many were accepted in it, from `from` and before `to`.
                 * @example 3
                 */
                submissions: number;
            }[];
            /**
             * @description How many were accepted from `from` and before `to`.
             * @example 3
             */
            total: number;
        };
        DeletedDeployments: {
            deployments: components["schemas"]["DeletedDeployment"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        DeletedDeployment: {
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
            /**
             * @description The label of the page's host.
             * @example spring-sale
             */
            slug: string;
            /**
             * @description How many submissions it has.
             * @example 3
             */
            submission_count: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            deleted_at: string;
        };
        DeploymentPurged: {
            /** @constant */
            message: "Deployment deleted for good";
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            id: string;
        };
        SubmissionReceived: {
            /** @constant */
            message: "Submission received";
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
        };
        Submissions: {
            submissions: components["schemas"]["Submission"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        Submission: {
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
            /**
             * @description The fields, exactly as submitted; a JSON body keeps its text. In forms a value is a string, a list where a name repeats, or a file, `{"filename","content_type","size","url"}`, whose url is a path of this API.
             * @example {
             *       "name": "Ada",
             *       "email": "ada@example.org"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description The client's address, IPv4 or IPv6.
             * @example 203.0.113.7
             */
            ip_address: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
        };
        SubmissionDeleted: {
            /** @constant */
            message: "Submission deleted";
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
        };
        InboxSubmission: {
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
            /**
             * @description The fields, exactly as submitted; a JSON body keeps its text. In forms a value is a string, a list where a name repeats, or a file, `{"filename","content_type","size","url"}`, whose url is a path of this API.
             * @example {
             *       "name": "Ada",
             *       "email": "ada@example.org"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description The client's address, IPv4 or IPv6.
             * @example 203.0.113.7
             */
            ip_address: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * @description Whether somebody has marked it as read. Reading it over the API does not.
             * @example true
             */
            read: boolean;
            /**
             * @description Whether it has a star.
             * @example false
             */
            starred: boolean;
            /**
             * @description The version of the page that was live when it was accepted.
             * @example 1
             */
            page_version: number;
        };
        TestSubmitted: {
            /** @constant */
            message: "Test submission received";
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
        };
        SearchResults: {
            submissions: components["schemas"]["InboxSubmission"][];
            /**
             * @description Where the next request goes on; null at the end.
             * @example null
             */
            next_cursor: string | null;
            /**
             * @description How many submissions this request has looked at.
             * @example 1
             */
            searched: number;
            /**
             * @description How many submissions the deployment has.
             * @example 1
             */
            total: number;
        };
        BulkDone: {
            /**
             * @description How many submissions this has changed.
             * @example 1
             */
            done: number;
            /**
             * @description Only for a `filter`: where the next request goes on; null at the end.
             * @example null
             */
            next_cursor?: string | null;
        };
        InboxResults: {
            submissions: components["schemas"]["OwnInboxSubmission"][];
            /**
             * @description Where the next request goes on; null at the end.
             * @example null
             */
            next_cursor: string | null;
            /**
             * @description How many submissions this request has looked at.
             * @example 1
             */
            searched: number;
            /**
             * @description How many submissions the deployments have.
             * @example 1
             */
            total: number;
        };
        OwnInboxSubmission: {
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
            /**
             * @description The fields, exactly as submitted; a JSON body keeps its text. In forms a value is a string, a list where a name repeats, or a file, `{"filename","content_type","size","url"}`, whose url is a path of this API.
             * @example {
             *       "name": "Ada",
             *       "email": "ada@example.org"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description The client's address, IPv4 or IPv6.
             * @example 203.0.113.7
             */
            ip_address: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * @description Whether somebody has marked it as read. Reading it over the API does not.
             * @example true
             */
            read: boolean;
            /**
             * @description Whether it has a star.
             * @example false
             */
            starred: boolean;
            /**
             * @description The version of the page that was live when it was accepted.
             * @example 1
             */
            page_version: number;
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            deployment_id: string;
            /**
             * @description The label of the page's host.
             * @example spring-sale
             */
            slug: string;
            /**
             * @description The page's title; null without one.
             * @example Spring sale
             */
            title: string | null;
        };
        NewSubmissions: {
            submissions: components["schemas"]["Submission"][];
            /**
             * @description Where the next request goes on.
             * @example 17
             */
            cursor: string;
        };
        Spam: {
            submissions: components["schemas"]["SpamSubmission"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        SpamSubmission: {
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
            /**
             * @description The fields, exactly as submitted; a JSON body keeps its text. In forms a value is a string, a list where a name repeats, or a file, `{"filename","content_type","size","url"}`, whose url is a path of this API.
             * @example {
             *       "name": "Ada",
             *       "email": "ada@example.org"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description The client's address, IPv4 or IPv6.
             * @example 203.0.113.7
             */
            ip_address: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * @description Why it is kept apart. `blocklist`: it has one of the words. `honeypot`: a honeypot of another service is filled in. `captcha-missing`: it has no token, so no widget ran. `captcha-failed`: the token is wrong or too old. `captcha-reused`: it counted before. `captcha-misconfigured`: the provider does not know the secret. `captcha-unavailable`: the provider gave no answer. `marked`: somebody has marked it.
             * @enum {string}
             */
            reason: "blocklist" | "honeypot" | "captcha-missing" | "captcha-failed" | "captcha-reused" | "captcha-misconfigured" | "captcha-unavailable" | "marked";
        };
        SpamEmptied: {
            /** @constant */
            message: "All spam deleted";
        };
        SpamReleased: {
            /** @constant */
            message: "Submission released";
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
        };
        SpamDeleted: {
            /** @constant */
            message: "Spam deleted";
            /**
             * @description A submission's id.
             * @example sub_0VbbZBZeswpZ5bGpjxVeCiYz
             */
            id: string;
        };
        Webhooks: {
            webhooks: components["schemas"]["Webhook"][];
        };
        Webhook: {
            /**
             * @description A webhook's id.
             * @example wh_0VbbZC1mQ4nRr8sTtUvWxYzA
             */
            id: string;
            /**
             * Format: uri
             * @description The address that receives the POST.
             * @example https://hooks.example.org/forms
             */
            url: string;
            /** @enum {string} */
            type: "generic" | "slack";
            /**
             * @description The events that it receives.
             * @example [
             *       "submission"
             *     ]
             */
            events: string[];
            /**
             * @description Whether it gets deliveries. It is switched off when its receiver is gone.
             * @example true
             */
            active: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
        };
        WebhookCreated: {
            /**
             * @description A webhook's id.
             * @example wh_0VbbZC1mQ4nRr8sTtUvWxYzA
             */
            id: string;
            /**
             * @description A deployment's id.
             * @example d_0VbbZBZKKTcBD17YQfyDgVGm
             */
            deployment_id: string;
            /**
             * Format: uri
             * @description The address that receives the POST.
             * @example https://hooks.example.org/forms
             */
            url: string;
            /** @enum {string} */
            type: "generic" | "slack";
        };
        WebhookDeleted: {
            /** @constant */
            message: "Webhook deleted";
        };
        WebhookSecret: {
            /**
             * @description The key that signs the deliveries (Standard Webhooks 1.0): `whsec_` and 32 bytes in base64.
             * @example whsec_Tm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZy4=
             */
            secret: string;
        };
        WebhooksHealth: {
            webhooks: components["schemas"]["WebhookHealth"][];
        };
        WebhookHealth: {
            /**
             * @description A webhook's id.
             * @example wh_0VbbZC1mQ4nRr8sTtUvWxYzA
             */
            id: string;
            /** @description When it failed first since it last succeeded; null: it works. */
            failing_since: string | null;
            /**
             * @description Why it failed last; null while it works.
             * @example the receiver answered 503
             */
            last_error: string | null;
            /**
             * @description How many of its last 1000 deliveries have failed, and are not tried again.
             * @example 2
             */
            failed: number;
        };
        FailedDeliveriesRetried: {
            /**
             * @description How many deliveries will be tried.
             * @example 2
             */
            retried: number;
        };
        DeliveryStarted: {
            /**
             * @description A delivery's id. Receivers get it as `webhook-id`, the same on every attempt.
             * @example dl_0VbbZC2bC3dD4eE5fF6gG7hH
             */
            id: string;
        };
        Deliveries: {
            deliveries: components["schemas"]["Delivery"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        Delivery: {
            /**
             * @description A delivery's id. Receivers get it as `webhook-id`, the same on every attempt.
             * @example dl_0VbbZC2bC3dD4eE5fF6gG7hH
             */
            id: string;
            /** @description The submission that it is about; null for a test, and for a mail that lists several. */
            submission_id: string | null;
            /** @enum {string} */
            status: "pending" | "succeeded" | "failed";
            /**
             * @description How many there have been, including one that is in progress.
             * @example 1
             */
            attempts: number;
            /** @description When it is tried next; null while it is in progress or its webhook is off, and when it is over. */
            next_attempt_at: string | null;
            /**
             * @description The status of the last answer, of HTTP or SMTP; null without one.
             * @example 503
             */
            last_status: number | null;
            /**
             * @description Why the last attempt failed; null when it succeeded.
             * @example the receiver answered 503
             */
            last_error: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            updated_at: string;
        };
        DeliveryRetried: {
            /**
             * @description A delivery's id. Receivers get it as `webhook-id`, the same on every attempt.
             * @example dl_0VbbZC2bC3dD4eE5fF6gG7hH
             */
            id: string;
            /** @constant */
            status: "pending";
        };
        Mails: {
            deliveries: components["schemas"]["Mail"][];
            /**
             * @description The number of items on all pages together.
             * @example 1
             */
            total: number;
            /**
             * @description The number of this page.
             * @example 1
             */
            page: number;
            /**
             * @description How many items a page has at most.
             * @example 50
             */
            limit: number;
        };
        Mail: {
            /**
             * @description A delivery's id. Receivers get it as `webhook-id`, the same on every attempt.
             * @example dl_0VbbZC2bC3dD4eE5fF6gG7hH
             */
            id: string;
            /** @description The submission that it is about; null for a test, and for a mail that lists several. */
            submission_id: string | null;
            /** @enum {string} */
            status: "pending" | "succeeded" | "failed";
            /**
             * @description How many there have been, including one that is in progress.
             * @example 1
             */
            attempts: number;
            /** @description When it is tried next; null while it is in progress or its webhook is off, and when it is over. */
            next_attempt_at: string | null;
            /**
             * @description The status of the last answer, of HTTP or SMTP; null without one.
             * @example 503
             */
            last_status: number | null;
            /**
             * @description Why the last attempt failed; null when it succeeded.
             * @example the receiver answered 503
             */
            last_error: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             * @example 2026-11-21T11:08:48.298Z
             */
            updated_at: string;
            /**
             * @description The address; null when the recipient was removed long ago, and when a visitor has given none.
             * @example ada@example.org
             */
            recipient: string | null;
        };
        JsonRpcAnswer: {
            /** @constant */
            jsonrpc: "2.0";
            /** @description That of the request. */
            id: string | number;
            /** @description That of the method. */
            result?: {
                [key: string]: unknown;
            };
            /** @description Instead of a result. */
            error?: {
                code: number;
                message: string;
            };
        };
        JsonRpcError: {
            /** @constant */
            jsonrpc: "2.0";
            error: {
                code: number;
                /** @description A sentence that says what to do. */
                message: string;
            };
            id: null;
        };
    };
    responses: {
        /** @description The body is malformed, not UTF-8, or a field is missing or wrong; also for the reasons of any request. */
        BadBody: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The body is malformed: send a JSON object."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key is missing, malformed, unknown, expired or revoked. */
        Unauthorized: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description The scheme. */
                "WWW-Authenticate"?: "Bearer";
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "An API key is needed: send Authorization: Bearer <API_KEY>."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request comes from a page of another site. */
        OtherSite: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Another site may not sign in here: open the service itself."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Less than 256 KiB of a body over 64 KiB arrived in 30 seconds. */
        TooSlow: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The upload is too slow: try again on a faster connection."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body, or something in it, is too large. */
        TooLarge: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The body is too large: send at most 2097152 bytes."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The content type of the body is not supported, its charset is not UTF-8, or its content encoding is not gzip, deflate or br. */
        WrongType: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The content type is not supported: send JSON, with Content-Type: application/json."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description More than 300 unknown API keys in 60 seconds from one address. A valid key is never refused for that reason. */
        TooManyUnknownKeys: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description In how many seconds to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Too many unknown API keys: wait a minute, then use a valid one."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An unexpected error. Only the log has the cause. */
        InternalError: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Internal server error"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
        Unavailable: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description In how many seconds to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The service cannot use its database just now: try again shortly."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
        BadRequest: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request has an API key, and no session. */
        NoSession: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "There is no session to end: this request has an API key."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A parameter of the query has no such value, or is given twice; also for the reasons of any request. */
        BadQuery: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "limit is invalid: send a whole number from 1 to 2147483647, once."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key has the scope `read`. */
        ReadOnlyKey: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "This API key may only read: use a key with the scope full."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The owner has no such session, or it has ended. */
        NoSuchSession: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such session: choose one that GET /sessions lists."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service has no mail server. */
        NoMail: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "This service sends no mail: sign in with an API key."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description In an hour, more than 5 links for one address from one network, 20 for one address, or 100 from one network. */
        TooManyTries: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description In how many seconds to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Too many links were asked for: use the last one, or try again later."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Another owner has the `email`, or the service has no mail server. */
        EmailTaken: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Your address was not changed: another account has this one. Choose another address."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The owner has sent more than 5 new addresses in 1 hour; also for the reasons of any request with a key. */
        TooManyEmailChanges: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description In how many seconds to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Too many new addresses: try again in 3600 seconds."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The owner has 1000 keys. */
        TooManyKeys: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "There are 1000 keys already: revoke one first."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key's owner has no such key, or it is revoked. */
        NoSuchKey: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such key: choose one that GET /keys lists."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description It is the last full key of its owner. */
        LastKey: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "This is your last full key: make another first, or have the operator revoke it with formhost admin keys."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment, it was deleted, or it is another owner's. */
        NoSuchDeployment: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such deployment: check the id, and that it belongs to the owner of the API key."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The plan's limit of bytes is reached, or the API key has the scope `read`. */
        StorageFull: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Your plan (free) allows 1 GB of storage, and this would be more: in the dashboard, delete pages for good or submissions with files, or ask the operator for a larger plan."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Another live deployment has the slug. */
        SlugTaken: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "slug is taken: choose another, or leave it out."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Idempotency-Key` was used with another request in the last 24 hours. */
        IdempotencyKeyReused: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The Idempotency-Key was used with another request: send each request with a key of its own."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The content has none of the ETags that `If-Match` names. */
        ChangedMeanwhile: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "It has changed: get /deploy/:id/html again, and send its ETag in If-Match."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description New recipients would get more than 20 mails that ask them, of this owner in 24 hours; also for the reasons of any request with a key. */
        TooManyRecipients: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description In how many seconds to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Nothing was changed: in 24 hours you can have 20 new recipients asked. Send fewer, or try again in 3600 seconds."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The page takes too much time or memory to be read as HTML. */
        TooComplex: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The page is too complex to be checked: close its elements in the order in which they are opened, or send a part of it."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, or no such version of its page, or it is no longer kept. */
        NoSuchVersion: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such version: choose one that GET /deploy/:id/versions lists."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, or no such file of its page. */
        NoSuchSiteFile: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such file: choose one that GET /deploy/:id/files lists."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The domain is live at another deployment, or this one has 10 domains. */
        DomainTaken: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The domain is live at another page: remove it there first."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, or it does not have this domain. */
        NoSuchDomain: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such domain: choose one that GET /deploy/:id/domains lists."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The owner has asked for 10 look-ups within a minute; also for the reasons of any request with a key. */
        TooManyDomainChecks: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description In how many seconds to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Too many look-ups: try again in 17 seconds."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The plan's limit of live deployments is reached, or the API key has the scope `read`. */
        PlanLimit: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Your plan (free) allows 3 pages: delete one, or ask the operator for a larger plan."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key's owner has no such deleted deployment: it is live, it is gone for good, or it never was. */
        NotInTrash: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such deleted deployment: choose one that GET /trash lists."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is a delivery of this service: a webhook leads back to it. */
        WebhookLoop: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "A webhook leads back to this service: give it the address of a receiver of your own."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, or no such submission of it. */
        NoSuchSubmission: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such submission: check the ids, and that they belong to the owner of the API key."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The deployment has `max_submissions` submissions. The `error` is `closed_message`, if the deployment has one. */
        FormFull: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "This form is full: ask its owner."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The deployment has accepted `submissions_per_minute` (10) submissions in the last 60 seconds. */
        TooManySubmissions: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description In how many seconds to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Too many submissions: try again in 17 seconds."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, or no submission of it with the id in place of a cursor. */
        NoSuchCursor: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such submission: go on from the cursor of an answer, or begin with 0."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, no such submission of it, or no such file. */
        NoSuchFile: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such file: check the ids."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, or it keeps no such submission as spam. */
        NoSuchSpam: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such spam: check the ids, and that it has not been released or removed."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment, or it was deleted. */
        NoFormToChallenge: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such deployment: check the id in the address of the challenge."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The deployment has 50 webhooks. */
        WebhookLimit: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The deployment has 50 webhooks: delete one first."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, or no such webhook of it. */
        NoSuchWebhook: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such webhook: check the id."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The owner has sent 20 tests within a minute; also for the reasons of any request with a key. */
        TooManyTests: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                /** @description In how many seconds to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Too many tests: try again in 17 seconds."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, no such webhook of it, or no such delivery. */
        NoSuchDelivery: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such delivery: check the id."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Nobody would get it. The sentence says what to do. */
        NobodyGetsMail: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Nobody would get this mail: have a recipient confirm, and try again."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such deployment of the key's owner, or no such mail of it. */
        NoSuchMail: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "No such delivery: check the id."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The confirmation has been sent to its visitor. */
        ConfirmationSent: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "This confirmation has been sent: a visitor gets it once."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is no message of JSON-RPC 2.0, or a list of them, or the version in `MCP-Protocol-Version` is not supported. */
        BadMessage: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "error": {
                 *         "code": -32700,
                 *         "message": "The body is malformed: send a JSON object."
                 *       },
                 *       "id": null
                 *     }
                 */
                "application/json": components["schemas"]["JsonRpcError"];
            };
        };
        /** @description The `Accept` does not allow application/json. */
        NotAcceptable: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The answer is JSON: send Accept: application/json, text/event-stream."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description ABUSE_CONTACT is not set. */
        NoContact: {
            headers: {
                "error-code": components["headers"]["ErrorCode"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "There is nothing at this path: check it against the API reference."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The name of the error, for programs. */
        ErrorCode: "bad-message" | "bad-query" | "bad-request" | "changed-meanwhile" | "confirmation-link-expired" | "confirmation-sent" | "dashboard-not-built" | "domain-limit" | "domain-taken" | "email-taken" | "expectation-failed" | "file-link-expired" | "form-closed" | "form-full" | "form-not-open" | "headers-too-large" | "idempotency-key-reused" | "internal-error" | "invalid-field" | "last-key" | "method-not-allowed" | "no-form-to-challenge" | "no-mail" | "no-mail-server" | "no-session" | "no-storage-for-files" | "no-such-asset" | "no-such-confirmation-link" | "no-such-cursor" | "no-such-delivery" | "no-such-deployment" | "no-such-domain" | "no-such-email-link" | "no-such-file" | "no-such-file-link" | "no-such-form" | "no-such-key" | "no-such-mail" | "no-such-session" | "no-such-sign-in-link" | "no-such-site-file" | "no-such-spam" | "no-such-spam-link" | "no-such-submission" | "no-such-unsubscribe-link" | "no-such-version" | "no-such-webhook" | "nobody-gets-mail" | "not-acceptable" | "not-found" | "not-implemented" | "not-in-trash" | "origin-refused" | "other-site" | "plan-limit" | "read-only-key" | "slug-taken" | "storage-full" | "too-complex" | "too-large" | "too-many-domain-checks" | "too-many-email-changes" | "too-many-keys" | "too-many-recipients" | "too-many-requests" | "too-many-submissions" | "too-many-tests" | "too-many-tries" | "too-many-unknown-keys" | "too-slow" | "unauthorized" | "unavailable" | "webhook-limit" | "webhook-loop" | "wrong-type";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "fh_Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU"
                 *     }
                 */
                "application/json": {
                    key: string;
                };
            };
        };
        responses: {
            /** @description The browser is signed in. */
            200: {
                headers: {
                    /** @description The cookie of the session. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "you@example.com",
                     *       "plan": "unlimited"
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["OtherSite"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    /** @description The cookie of the session. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Signed out"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        message: "Signed out";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSession"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "id": "ses_0VbbZBZKKTcBD17YQfyDgVGm",
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "last_used_at": "2026-11-21T11:08:48.298Z",
                     *           "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
                     *           "current": true
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Sessions"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    signOutEverywhere: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No browser is signed in. */
            200: {
                headers: {
                    /** @description The cookie of the session. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Signed out everywhere"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        message: "Signed out everywhere";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A session's id. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Session ended",
                     *       "id": "ses_0VbbZBZKKTcBD17YQfyDgVGm"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionEnded"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchSession"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    askForSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "you@example.com"
                 *     }
                 */
                "application/json": {
                    email: string;
                };
            };
        };
        responses: {
            /** @description A mail is sent, if there is such an owner. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "If this address has an account, a mail with a link is on its way"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        message: "If this address has an account, a mail with a link is on its way";
                    };
                };
            };
            400: components["responses"]["BadBody"];
            403: components["responses"]["OtherSite"];
            404: components["responses"]["NoMail"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyTries"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who you are, and what your plan allows. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "you@example.com",
                     *       "plan": "free",
                     *       "deployment_limit": 3,
                     *       "deployments": 1,
                     *       "storage_limit": 1000000000,
                     *       "storage_used": 21548,
                     *       "mail": true,
                     *       "version": "1.0.0",
                     *       "time_zone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "time_zone": "Europe/Berlin"
                 *     }
                 */
                "application/json": {
                    /** @description The time zone of the times in mails, by its IANA name; null: UTC. */
                    time_zone?: string | null;
                    /** @description Another e-mail address. It is the one of the account once a link in a mail to it is opened. */
                    email?: string;
                };
            };
        };
        responses: {
            /** @description The account, as GET /me answers it. A header says to which address a link was sent. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "you@example.com",
                     *       "plan": "free",
                     *       "deployment_limit": 3,
                     *       "deployments": 1,
                     *       "storage_limit": 1000000000,
                     *       "storage_used": 21548,
                     *       "mail": true,
                     *       "version": "1.0.0",
                     *       "time_zone": "Europe/Berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["EmailTaken"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyEmailChanges"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "id": "key_0VbbZBZKKTcBD17YQfyDgVGm",
                     *           "name": "Website build",
                     *           "prefix": "fh_Tk3vQ",
                     *           "scope": "full",
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "expires_at": null,
                     *           "last_used_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Keys"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Website build",
                 *       "scope": "full"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the key is for, 1 to 100 characters.
                     * @example Website build
                     */
                    name: string;
                    /**
                     * @description `full`: everything. `read`: GET and HEAD, except for webhook secrets and keys.
                     * @default full
                     * @example full
                     * @enum {string}
                     */
                    scope?: "full" | "read";
                    /**
                     * Format: date-time
                     * @description From when on the key is refused, in ISO 8601 with Z or an offset. Left out: never.
                     */
                    expires_at?: string;
                };
            };
        };
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    /** @description The path of what was created. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "key_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "name": "Website build",
                     *       "prefix": "fh_Tk3vQ",
                     *       "scope": "full",
                     *       "created_at": "2026-11-21T11:08:48.298Z",
                     *       "expires_at": null,
                     *       "key": "fh_Tk3vQ0000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeKey"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["TooManyKeys"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A key's id, which is not the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Key revoked",
                     *       "id": "key_0VbbZBZKKTcBD17YQfyDgVGm"
                     *     }
                     */
                    "application/json": components["schemas"]["KeyRevoked"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchKey"];
            409: components["responses"]["LastKey"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deployments. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deployments": [
                     *         {
                     *           "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *           "slug": "spring-sale",
                     *           "url": "https://spring-sale.pages.example.net",
                     *           "title": "Spring sale",
                     *           "form_action": "https://forms.example.org/submit/d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *           "submission_count": 3,
                     *           "unread": 1,
                     *           "spam": 0,
                     *           "honeypots": 0,
                     *           "turned_away": 0,
                     *           "last_submission_at": "2026-11-21T11:08:48.298Z",
                     *           "email_notifications": false,
                     *           "failing_webhooks": 0,
                     *           "taken_down": false,
                     *           "take_down_reason": "phishing",
                     *           "updated_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDeploymentOverview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "slug": "spring-sale",
                     *       "url": "https://spring-sale.pages.example.net",
                     *       "title": "Spring sale",
                     *       "form_action": "https://forms.example.org/submit/d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "submission_count": 3,
                     *       "unread": 1,
                     *       "spam": 0,
                     *       "honeypots": 0,
                     *       "turned_away": 0,
                     *       "last_submission_at": "2026-11-21T11:08:48.298Z",
                     *       "email_notifications": false,
                     *       "failing_webhooks": 0,
                     *       "taken_down": false,
                     *       "take_down_reason": "phishing",
                     *       "updated_at": "2026-11-21T11:08:48.298Z"
                     *     }
                     */
                    "application/json": components["schemas"]["OverviewedDeployment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deployments. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deployments": [
                     *         {
                     *           "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *           "slug": "spring-sale",
                     *           "status": "active",
                     *           "url": "https://spring-sale.pages.example.net",
                     *           "submission_count": 3,
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "updated_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Deployments"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createDeployment: {
        parameters: {
            query?: {
                /** @description As the field of the body. Only with `Content-Type: text/html` or `application/zip`. */
                slug?: string;
            };
            header?: {
                /** @description Names this request for 24 hours: sent again under the same key, it makes nothing, and gets the first answer. Make a new key for each request, such as a UUID. Only successes are remembered, the last 1000 of an owner. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "html": "<!doctype html><title>Spring sale</title><form method=\"post\" action=\"{{FORM_ACTION}}\"><input name=\"email\"></form>",
                 *       "slug": "spring-sale"
                 *     }
                 */
                "application/json": {
                    /** @description The page: at most 2097152 bytes of UTF-8, no lone surrogates. Served byte for byte, except for `{{FORM_ACTION}}`: each occurrence becomes the address that receives the page's forms. */
                    html: string;
                    /** @description The other files of a site, by their paths, such as `styles/main.css`: a text, or `{content, encoding: "base64"}`. At most 500 files of 10485760 bytes, and 52428800 bytes in all. */
                    files?: {
                        [key: string]: string | {
                            content: string;
                            /** @constant */
                            encoding: "base64";
                        };
                    };
                    /** @description 1 to 63 lowercase letters a to z and hyphens, no digits, a letter at both ends, no `--` at the third and fourth place, none of www, api, app, admin, mail, smtp, ns, cdn, static, assets, docs, status, login, auth, dashboard, support, autoconfig, autodiscover, wpad, submit, webhooks, abuse. Made from the page's title when left out. */
                    slug?: string;
                };
                /** @example <!doctype html><title>Spring sale</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form> */
                "text/html": string;
                /** @example  */
                "application/zip": string;
            };
        };
        responses: {
            /** @description The page is live. */
            201: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    /** @description The path of what was created. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "url": "https://spring-sale.pages.example.net",
                     *       "slug": "spring-sale"
                     *     }
                     */
                    "application/json": components["schemas"]["Deployed"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["StorageFull"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["SlugTaken"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "slug": "spring-sale",
                     *       "status": "active",
                     *       "url": "https://spring-sale.pages.example.net",
                     *       "submission_count": 3,
                     *       "created_at": "2026-11-21T11:08:48.298Z",
                     *       "updated_at": "2026-11-21T11:08:48.298Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replaceHtml: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of `GET /deploy/:id/html`, or several: 412 if the content has none of them. */
                "If-Match"?: string;
            };
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "html": "<!doctype html><title>Spring sale</title><form method=\"post\" action=\"{{FORM_ACTION}}\"><input name=\"email\"></form>"
                 *     }
                 */
                "application/json": {
                    /** @description The page: at most 2097152 bytes of UTF-8, no lone surrogates. Served byte for byte, except for `{{FORM_ACTION}}`: each occurrence becomes the address that receives the page's forms. */
                    html: string;
                    /** @description The other files of a site, by their paths, such as `styles/main.css`: a text, or `{content, encoding: "base64"}`. At most 500 files of 10485760 bytes, and 52428800 bytes in all. */
                    files?: {
                        [key: string]: string | {
                            content: string;
                            /** @constant */
                            encoding: "base64";
                        };
                    };
                };
                /** @example <!doctype html><title>Spring sale</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form> */
                "text/html": string;
                /** @example  */
                "application/zip": string;
            };
        };
        responses: {
            /** @description The new page is live. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    /** @description The entity tag of the content, for `If-Match` and `If-None-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "url": "https://spring-sale.pages.example.net",
                     *       "slug": "spring-sale"
                     *     }
                     */
                    "application/json": components["schemas"]["Deployed"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["StorageFull"];
            404: components["responses"]["NoSuchDeployment"];
            408: components["responses"]["TooSlow"];
            412: components["responses"]["ChangedMeanwhile"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page is offline. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Deployment deleted",
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm"
                     *     }
                     */
                    "application/json": components["schemas"]["DeploymentDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of `GET /deploy/:id/settings`, or several: 412 if the content has none of them. */
                "If-Match"?: string;
            };
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "email_notifications": true,
                 *       "notify_every": "submission",
                 *       "notify_owner": true,
                 *       "recipients": [
                 *         "ada@example.org"
                 *       ],
                 *       "redirect_url": "https://example.org/thanks",
                 *       "allowed_origins": [
                 *         "https://example.org"
                 *       ],
                 *       "language": null,
                 *       "retention_days": 365,
                 *       "opens_at": "2027-03-01T09:00:00.000Z",
                 *       "closes_at": null,
                 *       "max_submissions": 40,
                 *       "submissions_per_minute": 60,
                 *       "closed_message": "Registration opens on Monday at 10:00 in Berlin.",
                 *       "spam": {
                 *         "blocklist": [],
                 *         "captcha": null
                 *       },
                 *       "confirmation": {
                 *         "field": "email",
                 *         "subject": "We have your message",
                 *         "text": "Thank you. Your reference is {{reference}}."
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Whether there is mail about submissions, if the service has a mail server. At first: `false`. */
                    email_notifications?: boolean;
                    /**
                     * @description `submission`: a mail for each. `hour` and `day`: one mail that lists what came in an hour or a day of UTC. After a change, what no mail has listed is mailed at once. At first: `"submission"`.
                     * @enum {string}
                     */
                    notify_every?: "submission" | "hour" | "day";
                    /** @description Whether the owner gets the mail besides the recipients. While no recipient has confirmed, the owner gets it in any case. At first: `true`. */
                    notify_owner?: boolean;
                    /** @description Who gets the mail besides the owner. Any address but the owner's gets one mail with a link that confirms it, and nothing more before. Send the list again to ask again, after 24 hours. At first: `[]`. */
                    recipients?: string[];
                    /** @description Where a visitor's browser is sent after a success, unless the form's own `_redirect` is valid. null: to a page that thanks. At first: `null`. */
                    redirect_url?: string | null;
                    /** @description Origins of sites whose pages may submit, besides the page's own; submissions from others are a 403. `_redirect` may lead to them. Requests without an `Origin` are no browser's, and are accepted. Empty: all. At first: `[]`. */
                    allowed_origins?: string[];
                    /** @description The language of the pages that visitors see after they have sent a form. null: that of the page's `<html lang>`, else one of the browser's Accept-Language, else English. At first: `null`. */
                    language?: ("en" | "de" | "fr" | "es" | "pt" | "it" | "nl" | "pl" | "tr" | "ja" | "zh" | "ar") | null;
                    /** @description Submissions that are older, with their files, are deleted within a day. null: never. At first: `null`. */
                    retention_days?: number | null;
                    /** @description Submissions before this time are a 403. It is before `closes_at`. null: the form is open. At first: `null`. */
                    opens_at?: string | null;
                    /** @description Submissions from this time on are a 403. null: the form stays open. At first: `null`. */
                    closes_at?: string | null;
                    /** @description While there are so many submissions, further ones are a 403. Deleting one frees its place. Spam takes none, and is accepted when you release it, even if the form is full or closed. null: no limit. At first: `null`. */
                    max_submissions?: number | null;
                    /** @description How many submissions are accepted in any 60 seconds; beyond that, a 429. Spam does not count. null: 10. At first: `null`. */
                    submissions_per_minute?: number | null;
                    /** @description The `error` of these 403s, and what visitors read on the page that they get. null: a text in the language of the page. At first: `null`. */
                    closed_message?: string | null;
                    /** @description Submissions are kept apart as spam if their names or values have a word of `blocklist`, as a whole word, whatever the case (`casino*`: a word that begins with it), or if they lack a valid token of `captcha`. Both are replaced, except for the provider's secret. At first: `{"blocklist":[],"captcha":null}`. */
                    spam?: {
                        /** @default [] */
                        blocklist?: string[];
                        /** @default null */
                        captcha?: {
                            /** @enum {string} */
                            provider: "altcha" | "turnstile" | "hcaptcha" | "recaptcha";
                            /** @description The public key of the form at the provider. */
                            site_key?: string;
                            /** @description The secret that belongs to it. It is never read back; left out, the one of the same provider stays. Not for altcha. */
                            secret?: string;
                        } | null;
                    };
                    /** @description A mail to the visitor, from the service, after a submission is accepted: to the one plain address that is in `field`, once a day at most. In `subject` and `text`, `{{reference}}` is the id of the submission, `{{page}}` the address of the page, and `{{date}}` the day. null: none. At first: `null`. */
                    confirmation?: {
                        /** @description The name of the field with the visitor's address. */
                        field: string;
                        subject: string;
                        text: string;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The settings are changed. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    /** @description The entity tag of the content, for `If-Match` and `If-None-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm"
                     *     }
                     */
                    "application/json": components["schemas"]["SettingsChanged"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDeployment"];
            408: components["responses"]["TooSlow"];
            412: components["responses"]["ChangedMeanwhile"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyRecipients"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHtml: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag that the client has: 304 if it is still this. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    /** @description The entity tag of the content, for `If-Match` and `If-None-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "html": "<!doctype html><title>Spring sale</title><form method=\"post\" action=\"{{FORM_ACTION}}\"><input name=\"email\"></form>"
                     *     }
                     */
                    "application/json": components["schemas"]["Html"];
                };
            };
            /** @description The client has this version (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag that the client has: 304 if it is still this. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All settings. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    /** @description The entity tag of the content, for `If-Match` and `If-None-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email_notifications": true,
                     *       "notify_every": "submission",
                     *       "notify_owner": true,
                     *       "recipients": [
                     *         {
                     *           "email": "ada@example.org",
                     *           "confirmed": true
                     *         }
                     *       ],
                     *       "redirect_url": "https://example.org/thanks",
                     *       "allowed_origins": [
                     *         "https://example.org"
                     *       ],
                     *       "language": null,
                     *       "retention_days": 365,
                     *       "opens_at": "2027-03-01T09:00:00.000Z",
                     *       "closes_at": null,
                     *       "max_submissions": 40,
                     *       "submissions_per_minute": 60,
                     *       "closed_message": "Registration opens on Monday at 10:00 in Berlin.",
                     *       "spam": {
                     *         "blocklist": [],
                     *         "captcha": null
                     *       },
                     *       "confirmation": {
                     *         "field": "email",
                     *         "subject": "We have your message",
                     *         "text": "Thank you. Your reference is {{reference}}."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Settings"];
                };
            };
            /** @description The client has this version (If-None-Match). */
            304: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkHtml: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "html": "<!doctype html><title>Spring sale</title><form method=\"post\" action=\"{{FORM_ACTION}}\"><input name=\"email\"></form>"
                 *     }
                 */
                "application/json": {
                    /** @description The page: at most 2097152 bytes of UTF-8, no lone surrogates. Served byte for byte, except for `{{FORM_ACTION}}`: each occurrence becomes the address that receives the page's forms. */
                    html: string;
                };
                /** @example <!doctype html><title>Spring sale</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form> */
                "text/html": string;
            };
        };
        responses: {
            /** @description The forms of the page, and their problems. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "title": "Spring sale",
                     *       "lang": null,
                     *       "forms": [
                     *         {
                     *           "action": "{{FORM_ACTION}}",
                     *           "method": "post",
                     *           "enctype": "application/x-www-form-urlencoded",
                     *           "submits_here": true,
                     *           "fields": [
                     *             {
                     *               "name": "email",
                     *               "label": null,
                     *               "type": "text",
                     *               "required": false,
                     *               "options": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "problems": [
                     *         {
                     *           "code": "no-submit-button",
                     *           "severity": "warning",
                     *           "message": "The form has no button that sends it: write <button>Send</button> before </form>.",
                     *           "line": 1,
                     *           "file": "about.html",
                     *           "column": 42
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CheckedPage"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["TooComplex"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The forms of the page, and their problems. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "title": "Spring sale",
                     *       "lang": null,
                     *       "forms": [
                     *         {
                     *           "action": "{{FORM_ACTION}}",
                     *           "method": "post",
                     *           "enctype": "application/x-www-form-urlencoded",
                     *           "submits_here": true,
                     *           "fields": [
                     *             {
                     *               "name": "email",
                     *               "label": null,
                     *               "type": "text",
                     *               "required": false,
                     *               "options": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "problems": [
                     *         {
                     *           "code": "no-submit-button",
                     *           "severity": "warning",
                     *           "message": "The form has no button that sends it: write <button>Send</button> before </form>.",
                     *           "line": 1,
                     *           "file": "about.html",
                     *           "column": 42
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CheckedPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            422: components["responses"]["TooComplex"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listVersions: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": [
                     *         {
                     *           "version": 1,
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "bytes": 113,
                     *           "live": true
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Versions"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getVersionHtml: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description The number of a version. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "html": "<!doctype html><title>Spring sale</title><form method=\"post\" action=\"{{FORM_ACTION}}\"><input name=\"email\"></form>"
                     *     }
                     */
                    "application/json": components["schemas"]["Html"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchVersion"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description The number of a version. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version is live. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "url": "https://spring-sale.pages.example.net",
                     *       "slug": "spring-sale"
                     *     }
                     */
                    "application/json": components["schemas"]["Deployed"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["StorageFull"];
            404: components["responses"]["NoSuchVersion"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         {
                     *           "path": "styles/main.css",
                     *           "bytes": 24,
                     *           "content_type": "text/css; charset=utf-8",
                     *           "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
                     *         }
                     *       ],
                     *       "total_bytes": 137
                     *     }
                     */
                    "application/json": components["schemas"]["SiteFiles"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSiteFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description The path of a file, with its slashes. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description `attachment`, and its name. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example body { color: #123 } */
                    "*/*": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchSiteFile"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putSiteFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description The path of a file, with its slashes. */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example  */
                "*/*": string;
            };
        };
        responses: {
            /** @description The file is live. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "styles/main.css",
                     *       "bytes": 24,
                     *       "content_type": "text/css; charset=utf-8",
                     *       "sha256": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
                     *     }
                     */
                    "application/json": components["schemas"]["SiteFile"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["StorageFull"];
            404: components["responses"]["NoSuchDeployment"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSiteFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description The path of a file, with its slashes. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "File removed",
                     *       "path": "styles/main.css"
                     *     }
                     */
                    "application/json": components["schemas"]["SiteFileRemoved"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchSiteFile"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDomains: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All domains. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": [
                     *         {
                     *           "domain": "forms.shop.example",
                     *           "status": "pending",
                     *           "records": [
                     *             {
                     *               "type": "TXT",
                     *               "name": "_formhost.forms.shop.example",
                     *               "value": "formhost-verification=0b6f7a1c9d2e4f508192a3b4c5d6e7f8",
                     *               "purpose": "ownership"
                     *             },
                     *             {
                     *               "type": "CNAME",
                     *               "name": "forms.shop.example",
                     *               "value": "contact.pages.example.net",
                     *               "purpose": "traffic"
                     *             }
                     *           ],
                     *           "problem": null,
                     *           "checked_at": "2026-11-21T11:08:48.298Z",
                     *           "created_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domains"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "forms.shop.example"
                 *     }
                 */
                "application/json": {
                    /** @description A domain of your own, or a name under it. */
                    domain: string;
                };
            };
        };
        responses: {
            /** @description The domain is added. */
            201: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    /** @description The path of what was created. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "forms.shop.example",
                     *       "status": "pending",
                     *       "records": [
                     *         {
                     *           "type": "TXT",
                     *           "name": "_formhost.forms.shop.example",
                     *           "value": "formhost-verification=0b6f7a1c9d2e4f508192a3b4c5d6e7f8",
                     *           "purpose": "ownership"
                     *         },
                     *         {
                     *           "type": "CNAME",
                     *           "name": "forms.shop.example",
                     *           "value": "contact.pages.example.net",
                     *           "purpose": "traffic"
                     *         }
                     *       ],
                     *       "problem": null,
                     *       "checked_at": "2026-11-21T11:08:48.298Z",
                     *       "created_at": "2026-11-21T11:08:48.298Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CustomDomain"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDeployment"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["DomainTaken"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description In lower case, with `xn--` for letters beyond ASCII. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "forms.shop.example",
                     *       "status": "pending",
                     *       "records": [
                     *         {
                     *           "type": "TXT",
                     *           "name": "_formhost.forms.shop.example",
                     *           "value": "formhost-verification=0b6f7a1c9d2e4f508192a3b4c5d6e7f8",
                     *           "purpose": "ownership"
                     *         },
                     *         {
                     *           "type": "CNAME",
                     *           "name": "forms.shop.example",
                     *           "value": "contact.pages.example.net",
                     *           "purpose": "traffic"
                     *         }
                     *       ],
                     *       "problem": null,
                     *       "checked_at": "2026-11-21T11:08:48.298Z",
                     *       "created_at": "2026-11-21T11:08:48.298Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CustomDomain"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDomain"];
            429: components["responses"]["TooManyDomainChecks"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description In lower case, with `xn--` for letters beyond ASCII. */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain is removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Domain removed",
                     *       "domain": "forms.shop.example"
                     *     }
                     */
                    "application/json": components["schemas"]["DomainRemoved"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDomain"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /** @description The first time that counts, in ISO 8601: a time with Z or an offset, or a day, from its beginning in `tz`. Left out: 30 days, up to that of `to`. */
                from?: string;
                /** @description The first time that no longer counts. Left out: now. */
                to?: string;
                /** @description How long a bucket is. */
                by?: "hour" | "day";
                /** @description The time zone of hours and days, by its IANA name. */
                tz?: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers of submissions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "buckets": [
                     *         {
                     *           "start": "2026-11-21T23:00:00.000Z",
                     *           "submissions": 3
                     *         }
                     *       ],
                     *       "total": 3
                     *     }
                     */
                    "application/json": components["schemas"]["Statistics"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTrash: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deleted deployments. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deployments": [
                     *         {
                     *           "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *           "slug": "spring-sale",
                     *           "submission_count": 3,
                     *           "deleted_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedDeployments"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description 1 to 63 lowercase letters a to z and hyphens, no digits, a letter at both ends, no `--` at the third and fourth place, none of www, api, app, admin, mail, smtp, ns, cdn, static, assets, docs, status, login, auth, dashboard, support, autoconfig, autodiscover, wpad, submit, webhooks, abuse. Its slug is the one that it had when left out. */
                    slug?: string;
                };
            };
        };
        responses: {
            /** @description The page is live again. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "url": "https://spring-sale.pages.example.net",
                     *       "slug": "spring-sale"
                     *     }
                     */
                    "application/json": components["schemas"]["Deployed"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["PlanLimit"];
            404: components["responses"]["NotInTrash"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["SlugTaken"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    purgeDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Deployment deleted for good",
                     *       "id": "d_0VbbZBZKKTcBD17YQfyDgVGm"
                     *     }
                     */
                    "application/json": components["schemas"]["DeploymentPurged"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NotInTrash"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    submit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names this request for 24 hours: sent again under the same key, a submission is stored once, and answered as the first was. Make a new key for each submission, such as a UUID. Only accepted submissions are remembered: after a 429, a 5xx or no answer at all, send it again under the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada",
                 *       "email": "ada@example.org"
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                /**
                 * @example {
                 *       "name": "Ada",
                 *       "email": "ada@example.org"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /** @example Ada */
                    name?: string;
                    /** @example ada@example.org */
                    email?: string;
                } & {
                    [key: string]: string | string[];
                };
                /**
                 * @example {
                 *       "name": "Ada",
                 *       "email": "ada@example.org"
                 *     }
                 */
                "multipart/form-data": {
                    /** @example Ada */
                    name?: string;
                    /** @example ada@example.org */
                    email?: string;
                    /**
                     * Format: binary
                     * @description A file, under any name.
                     */
                    file?: string;
                } & {
                    [key: string]: (string) | (string)[];
                };
            };
        };
        responses: {
            /** @description The submission is stored. */
            200: {
                headers: {
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Submission received",
                     *       "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz"
                     *     }
                     */
                    "application/json": components["schemas"]["SubmissionReceived"];
                };
            };
            /** @description For browsers that post a form, instead of 200: a redirect to a page that thanks, so that a reload sends nothing twice; or to the address in the field `_redirect`, else to `redirect_url`. */
            303: {
                headers: {
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    /** @description `/submit/{deployId}/thanks`, an address on the page's own origin or on one of `allowed_origins`, or `redirect_url`. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body is malformed, not UTF-8, or a field is missing or wrong; also for the reasons of any request. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The body is malformed: send a JSON object."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The deployment has `max_submissions` submissions. The `error` is `closed_message`, if the deployment has one. */
            403: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "This form is full: ask its owner."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description There is no such deployment, or it was deleted. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "No such deployment: check the id in the address that the form posts to."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description Less than 256 KiB of a body over 64 KiB arrived in 30 seconds. */
            408: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The upload is too slow: try again on a faster connection."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The files are more than the plan of the form's owner allows. Without files, the form is accepted. */
            413: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The owner of the form has no storage left for these files: send the form without files."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The content type of the body is not supported, its charset is not UTF-8, or its content encoding is not gzip, deflate or br. */
            415: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The content type is not supported: send JSON, with Content-Type: application/json."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The `Idempotency-Key` was used with another request in the last 24 hours. */
            422: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The Idempotency-Key was used with another request: send each request with a key of its own."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The deployment has accepted `submissions_per_minute` (10) submissions in the last 60 seconds. */
            429: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Too many submissions: try again in 17 seconds."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            508: components["responses"]["WebhookLoop"];
        };
    };
    submitPreflight: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page may submit. */
            204: {
                headers: {
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getThanks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page in the language of the visitor. */
            200: {
                headers: {
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description There is no such deployment, or it was deleted. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "No such deployment: check the id in the address that the form posts to."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    listSubmissions: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of submissions. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "submissions": [
                     *         {
                     *           "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *           "data": {
                     *             "name": "Ada",
                     *             "email": "ada@example.org"
                     *           },
                     *           "ip_address": "203.0.113.7",
                     *           "created_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Submissions"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSubmission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A submission's id. */
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The submission. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *       "data": {
                     *         "name": "Ada",
                     *         "email": "ada@example.org"
                     *       },
                     *       "ip_address": "203.0.113.7",
                     *       "created_at": "2026-11-21T11:08:48.298Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Submission"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchSubmission"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSubmission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A submission's id. */
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The submission is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Submission deleted",
                     *       "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz"
                     *     }
                     */
                    "application/json": components["schemas"]["SubmissionDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchSubmission"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    markSubmission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A submission's id. */
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "read": true
                 *     }
                 */
                "application/json": {
                    /** @description Whether it is read. */
                    read?: boolean;
                    /** @description Whether it has a star. */
                    starred?: boolean;
                };
            };
        };
        responses: {
            /** @description The submission. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *       "data": {
                     *         "name": "Ada",
                     *         "email": "ada@example.org"
                     *       },
                     *       "ip_address": "203.0.113.7",
                     *       "created_at": "2026-11-21T11:08:48.298Z",
                     *       "read": true,
                     *       "starred": false,
                     *       "page_version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["InboxSubmission"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchSubmission"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    submitTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "fields": {
                 *         "name": "Ada",
                 *         "email": "ada@example.org"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The names of fields of the form, and what is filled in.
                     * @default {}
                     */
                    fields?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The submission is stored. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Test submission received",
                     *       "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz"
                     *     }
                     */
                    "application/json": components["schemas"]["TestSubmitted"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["FormFull"];
            404: components["responses"]["NoSuchDeployment"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManySubmissions"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchSubmissions: {
        parameters: {
            query?: {
                /** @description A text to find in the names or values of fields, or the names of files, as a person sees them, whatever the case. */
                q?: string;
                /** @description The first time of receipt that counts, in ISO 8601; a day is one in UTC. */
                from?: string;
                /** @description The first time of receipt that no longer counts. */
                to?: string;
                /** @description Only submissions that are not marked as read. */
                unread?: "true";
                /** @description Only submissions with a star. */
                starred?: "true";
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
                /** @description The `next_cursor` of the answer before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The submissions that were found. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "submissions": [
                     *         {
                     *           "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *           "data": {
                     *             "name": "Ada",
                     *             "email": "ada@example.org"
                     *           },
                     *           "ip_address": "203.0.113.7",
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "read": true,
                     *           "starred": false,
                     *           "page_version": 1
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "searched": 1,
                     *       "total": 1
                     *     }
                     */
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeSubmissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "read",
                 *       "ids": [
                 *         "sub_0VbbZBZeswpZ5bGpjxVeCiYz"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The change of each of them. `spam`: keep it apart, in GET /deploy/:id/spam.
                     * @enum {string}
                     */
                    action: "read" | "unread" | "star" | "unstar" | "delete" | "spam";
                    /** @description At most 1000. Ids that are not there are passed over. */
                    ids?: string[];
                    /** @description In place of `ids`: all that a search finds, in several requests. `{}`: all submissions. */
                    filter?: {
                        /**
                         * @description A text to find in the names or values of fields, or the names of files, as a person sees them, whatever the case.
                         * @example ada
                         */
                        q?: string;
                        /** @description The first time of receipt that counts, in ISO 8601; a day is one in UTC. */
                        from?: string;
                        /** @description The first time of receipt that no longer counts. */
                        to?: string;
                        /**
                         * @description Only submissions that are not marked as read.
                         * @constant
                         */
                        unread?: true;
                        /**
                         * @description Only submissions with a star.
                         * @constant
                         */
                        starred?: true;
                    };
                    /** @description With a `filter`: the `next_cursor` of the answer before. */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description It is done. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": 1
                     *     }
                     */
                    "application/json": components["schemas"]["BulkDone"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDeployment"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchInbox: {
        parameters: {
            query?: {
                /** @description A text to find in the names or values of fields, or the names of files, as a person sees them, whatever the case. */
                q?: string;
                /** @description The first time of receipt that counts, in ISO 8601; a day is one in UTC. */
                from?: string;
                /** @description The first time of receipt that no longer counts. */
                to?: string;
                /** @description Only submissions that are not marked as read. */
                unread?: "true";
                /** @description Only submissions with a star. */
                starred?: "true";
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
                /** @description The `next_cursor` of the answer before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The submissions that were found. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "submissions": [
                     *         {
                     *           "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *           "data": {
                     *             "name": "Ada",
                     *             "email": "ada@example.org"
                     *           },
                     *           "ip_address": "203.0.113.7",
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "read": true,
                     *           "starred": false,
                     *           "page_version": 1,
                     *           "deployment_id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *           "slug": "spring-sale",
                     *           "title": "Spring sale"
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "searched": 1,
                     *       "total": 1
                     *     }
                     */
                    "application/json": components["schemas"]["InboxResults"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSubmissionsAfter: {
        parameters: {
            query?: {
                /** @description Seconds to wait while there is no new submission. */
                wait?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description `0`, the id of a submission, or the cursor of an answer. */
                cursor: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description New submissions; none when the time is over. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "submissions": [
                     *         {
                     *           "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *           "data": {
                     *             "name": "Ada",
                     *             "email": "ada@example.org"
                     *           },
                     *           "ip_address": "203.0.113.7",
                     *           "created_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ],
                     *       "cursor": "17"
                     *     }
                     */
                    "application/json": components["schemas"]["NewSubmissions"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchCursor"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamSubmissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example : new submissions follow
                     *     id: 2
                     *
                     *     event: submission
                     *     id: 3
                     *     data: {"id":"sub_0VbbZBZeswpZ5bGpjxVeCiYz","data":{"name":"Ada","email":"ada@example.org"},"ip_address":"203.0.113.7","created_at":"2026-11-21T11:08:48.298Z"}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchCursor"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A submission's id. */
                submissionId: string;
                /** @description A file's id. */
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, under the type that it was sent with. */
            200: {
                headers: {
                    /** @description `attachment`, and its name. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example Dear Ada, ... */
                    "*/*": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchFile"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportCsv: {
        parameters: {
            query?: {
                /** @description A text to find in the names or values of fields, or the names of files, as a person sees them, whatever the case. */
                q?: string;
                /** @description The first time of receipt that counts, in ISO 8601; a day is one in UTC. */
                from?: string;
                /** @description The first time of receipt that no longer counts. */
                to?: string;
                /** @description Only submissions that are not marked as read. */
                unread?: "true";
                /** @description Only submissions with a star. */
                starred?: "true";
                /** @description With `1`, the header row has the labels of the live page instead of the names of the fields. A field without a label keeps its name, and where two would be the same, each has its name behind it: `E-mail (email2)`. */
                labels?: "1";
                /** @description With `1`, the file begins with a byte order mark, by which Excel knows that it is UTF-8. */
                bom?: "1";
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All submissions. */
            200: {
                headers: {
                    /** @description A filename made of the slug and the date. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id,created_at,ip_address,name
                     *     sub_0VbbZBZeswpZ5bGpjxVeCiYz,2026-11-21T11:08:48.298Z,203.0.113.7,Ada
                     */
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportXlsx: {
        parameters: {
            query?: {
                /** @description A text to find in the names or values of fields, or the names of files, as a person sees them, whatever the case. */
                q?: string;
                /** @description The first time of receipt that counts, in ISO 8601; a day is one in UTC. */
                from?: string;
                /** @description The first time of receipt that no longer counts. */
                to?: string;
                /** @description Only submissions that are not marked as read. */
                unread?: "true";
                /** @description Only submissions with a star. */
                starred?: "true";
                /** @description With `1`, the header row has the labels of the live page instead of the names of the fields. A field without a label keeps its name, and where two would be the same, each has its name behind it: `E-mail (email2)`. */
                labels?: "1";
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All submissions. */
            200: {
                headers: {
                    /** @description A filename made of the slug and the date. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example PK... */
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportNdjson: {
        parameters: {
            query?: {
                /** @description A text to find in the names or values of fields, or the names of files, as a person sees them, whatever the case. */
                q?: string;
                /** @description The first time of receipt that counts, in ISO 8601; a day is one in UTC. */
                from?: string;
                /** @description The first time of receipt that no longer counts. */
                to?: string;
                /** @description Only submissions that are not marked as read. */
                unread?: "true";
                /** @description Only submissions with a star. */
                starred?: "true";
                /** @description The id of a submission: only those after it are returned. With the id of the last one that has arrived, a client goes on where a connection broke. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All submissions. */
            200: {
                headers: {
                    /** @description A filename made of the slug and the date. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"id":"sub_0VbbZBZeswpZ5bGpjxVeCiYz","data":{"name":"Ada","email":"ada@example.org"},"ip_address":"203.0.113.7","created_at":"2026-11-21T11:08:48.298Z"} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchCursor"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSpam: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of spam. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "submissions": [
                     *         {
                     *           "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *           "data": {
                     *             "name": "Ada",
                     *             "email": "ada@example.org"
                     *           },
                     *           "ip_address": "203.0.113.7",
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "reason": "blocklist"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Spam"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    emptySpam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no spam. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "All spam deleted"
                     *     }
                     */
                    "application/json": components["schemas"]["SpamEmptied"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    releaseSpam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description A submission's id. */
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The submission is accepted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Submission released",
                     *       "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz"
                     *     }
                     */
                    "application/json": components["schemas"]["SpamReleased"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchSpam"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSpam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description A submission's id. */
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Spam deleted",
                     *       "id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz"
                     *     }
                     */
                    "application/json": components["schemas"]["SpamDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchSpam"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWidget: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A script. */
            200: {
                headers: {
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    [name: string]: unknown;
                };
                content: {
                    /** @example customElements.define("altcha-widget", …) */
                    "text/javascript": string;
                };
            };
            /** @description The client has this version (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChallenge: {
        parameters: {
            query: {
                /** @description The id of a deployment, or the address that its forms post to, as `{{FORM_ACTION}}` becomes. */
                deployment: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A challenge. */
            200: {
                headers: {
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "parameters": {
                     *         "algorithm": "PBKDF2/SHA-256",
                     *         "cost": 5000,
                     *         "data": {
                     *           "deployment": "d_0VbbZBZKKTcBD17YQfyDgVGm"
                     *         },
                     *         "expiresAt": 1795968000,
                     *         "keyLength": 32,
                     *         "keyPrefix": "9f0c1d5b7c3e4a8fb2d60c1e7a9b3f55",
                     *         "keySignature": "c2b1f0a9e8d7c6b5a4938271605f4e3d2c1b0a9f8e7d6c5b4a39281706f5e4d3",
                     *         "nonce": "0b6f7a1c9d2e4f508192a3b4c5d6e7f8",
                     *         "salt": "5f4e3d2c1b0a99887766554433221100"
                     *       },
                     *       "signature": "1f2e3d4c5b6a798897a6b5c4d3e2f1000f1e2d3c4b5a69788796a5b4c3d2e1f0"
                     *     }
                     */
                    "application/json": {
                        parameters: {
                            /** @example PBKDF2/SHA-256 */
                            algorithm: string;
                            /** @example 5000 */
                            cost: number;
                            data: {
                                /** @example d_0VbbZBZKKTcBD17YQfyDgVGm */
                                deployment: string;
                            };
                            /** @example 1795968000 */
                            expiresAt: number;
                            /** @example 32 */
                            keyLength: number;
                            /** @example 9f0c1d5b7c3e4a8fb2d60c1e7a9b3f55 */
                            keyPrefix: string;
                            /** @example c2b1f0a9e8d7c6b5a4938271605f4e3d2c1b0a9f8e7d6c5b4a39281706f5e4d3 */
                            keySignature: string;
                            /** @example 0b6f7a1c9d2e4f508192a3b4c5d6e7f8 */
                            nonce: string;
                            /** @example 5f4e3d2c1b0a99887766554433221100 */
                            salt: string;
                        };
                        /** @example 1f2e3d4c5b6a798897a6b5c4d3e2f1000f1e2d3c4b5a69788796a5b4c3d2e1f0 */
                        signature: string;
                    };
                };
            };
            400: components["responses"]["BadQuery"];
            404: components["responses"]["NoFormToChallenge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All webhooks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "id": "wh_0VbbZC1mQ4nRr8sTtUvWxYzA",
                     *           "url": "https://hooks.example.org/forms",
                     *           "type": "generic",
                     *           "events": [
                     *             "submission"
                     *           ],
                     *           "active": true,
                     *           "created_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Webhooks"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names this request for 24 hours: sent again under the same key, it makes nothing, and gets the first answer. Make a new key for each request, such as a UUID. Only successes are remembered, the last 1000 of an owner. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.org/forms",
                 *       "type": "generic"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uri
                     * @description Absolute, http or https, without a user or a password, at a public address that is not of this service. An address of Slack needs the type `slack`. Discord and Microsoft Teams take neither type: their addresses are refused.
                     */
                    url: string;
                    /**
                     * @description `generic` posts the fields as JSON, signed; `slack` posts a message in Slack's blocks.
                     * @default generic
                     * @enum {string}
                     */
                    type?: "generic" | "slack";
                    /**
                     * @description The events to receive; all events when left out.
                     * @default [
                     *       "submission"
                     *     ]
                     */
                    events?: "submission"[];
                };
            };
        };
        responses: {
            /** @description The webhook is created. */
            201: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    /** @description The path of what was created. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wh_0VbbZC1mQ4nRr8sTtUvWxYzA",
                     *       "deployment_id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                     *       "url": "https://hooks.example.org/forms",
                     *       "type": "generic"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookCreated"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDeployment"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["WebhookLimit"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A webhook's id. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Webhook deleted"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchWebhook"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A webhook's id. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "active": true
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uri
                     * @description Absolute, http or https, without a user or a password, at a public address that is not of this service. An address of Slack needs the type `slack`. Discord and Microsoft Teams take neither type: their addresses are refused.
                     */
                    url?: string;
                    /** @description The events to receive. */
                    events?: "submission"[];
                    /** @description While it is off, pending deliveries wait, and new submissions are not delivered to it. */
                    active?: boolean;
                };
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "wh_0VbbZC1mQ4nRr8sTtUvWxYzA",
                     *       "url": "https://hooks.example.org/forms",
                     *       "type": "generic",
                     *       "events": [
                     *         "submission"
                     *       ],
                     *       "active": true,
                     *       "created_at": "2026-11-21T11:08:48.298Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["BadBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchWebhook"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A webhook's id. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_Tm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZy4="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchWebhook"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A webhook's id. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_Tm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZy4="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchWebhook"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhooksHealth: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How each webhook works. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "id": "wh_0VbbZC1mQ4nRr8sTtUvWxYzA",
                     *           "failing_since": "2026-11-21T11:08:48.298Z",
                     *           "last_error": "the receiver answered 503",
                     *           "failed": 2
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhooksHealth"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A webhook's id. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They will be tried. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retried": 2
                     *     }
                     */
                    "application/json": components["schemas"]["FailedDeliveriesRetried"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchWebhook"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A webhook's id. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery will be sent. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dl_0VbbZC2bC3dD4eE5fF6gG7hH"
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryStarted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchWebhook"];
            429: components["responses"]["TooManyTests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A webhook's id. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": [
                     *         {
                     *           "id": "dl_0VbbZC2bC3dD4eE5fF6gG7hH",
                     *           "submission_id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *           "status": "pending",
                     *           "attempts": 1,
                     *           "next_attempt_at": "2026-11-21T11:08:48.298Z",
                     *           "last_status": 503,
                     *           "last_error": "the receiver answered 503",
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "updated_at": "2026-11-21T11:08:48.298Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchWebhook"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A webhook's id. */
                webhookId: string;
                /** @description A delivery's id. Receivers get it as `webhook-id`, the same on every attempt. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will be tried. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dl_0VbbZC2bC3dD4eE5fF6gG7hH",
                     *       "status": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryRetried"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDelivery"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMails: {
        parameters: {
            query?: {
                /** @description Page number, from 1. A page past the end is empty. */
                page?: number;
                /** @description Items on a page. More than 100 counts as 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of mails. */
            200: {
                headers: {
                    /** @description The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": [
                     *         {
                     *           "id": "dl_0VbbZC2bC3dD4eE5fF6gG7hH",
                     *           "submission_id": "sub_0VbbZBZeswpZ5bGpjxVeCiYz",
                     *           "status": "pending",
                     *           "attempts": 1,
                     *           "next_attempt_at": "2026-11-21T11:08:48.298Z",
                     *           "last_status": 503,
                     *           "last_error": "the receiver answered 503",
                     *           "created_at": "2026-11-21T11:08:48.298Z",
                     *           "updated_at": "2026-11-21T11:08:48.298Z",
                     *           "recipient": "ada@example.org"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 50
                     *     }
                     */
                    "application/json": components["schemas"]["Mails"];
                };
            };
            400: components["responses"]["BadQuery"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchDeployment"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testMail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will be sent. The id is that of its first delivery. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dl_0VbbZC2bC3dD4eE5fF6gG7hH"
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryStarted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDeployment"];
            409: components["responses"]["NobodyGetsMail"];
            429: components["responses"]["TooManyTests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryMail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
                /** @description A delivery's id. Receivers get it as `webhook-id`, the same on every attempt. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will be tried. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dl_0VbbZC2bC3dD4eE5fF6gG7hH",
                     *       "status": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryRetried"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchMail"];
            409: components["responses"]["ConfirmationSent"];
            429: components["responses"]["TooManyTests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A deployment's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will be sent. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dl_0VbbZC2bC3dD4eE5fF6gG7hH"
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryStarted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ReadOnlyKey"];
            404: components["responses"]["NoSuchDeployment"];
            409: components["responses"]["NobodyGetsMail"];
            429: components["responses"]["TooManyTests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    openFileLink: {
        parameters: {
            query: {
                /** @description Until when it works, in seconds since 1970. */
                expires: string;
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A submission's id. */
                submissionId: string;
                /** @description A file's id. */
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, under the type that it was sent with. */
            200: {
                headers: {
                    /** @description `attachment`, and its name. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example Dear Ada, ... */
                    "*/*": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, or the file, its submission or its deployment has been deleted. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the file has been deleted."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link has expired. */
            410: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "This link has expired: a link to a file works for 7 days. The owner of the page can still get the file with an API key."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    askToUnsubscribe: {
        parameters: {
            query: {
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page with a button, which posts to the same address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, its deployment has been deleted, or its recipient has been removed. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the page has been deleted, and sends no mail."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query: {
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Mail is off, as it may have been before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, its deployment has been deleted, or its recipient has been removed. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the page has been deleted, and sends no mail."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    askRecipientToUnsubscribe: {
        parameters: {
            query: {
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A recipient's id. */
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page with a button, which posts to the same address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, its deployment has been deleted, or its recipient has been removed. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the page has been deleted, and sends no mail."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    unsubscribeRecipient: {
        parameters: {
            query: {
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A recipient's id. */
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recipient gets no mail, as may have been before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, its deployment has been deleted, or its recipient has been removed. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the page has been deleted, and sends no mail."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    askToConfirm: {
        parameters: {
            query: {
                /** @description Until when it works, in seconds since 1970. */
                expires: string;
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A recipient's id. */
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page with a button, which posts to the same address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, its recipient has been removed, or its deployment has been deleted. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the owner of the page has removed your address, and no mail will come."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link has expired. */
            410: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "This link has expired: it works for 7 days. If you want the mails, ask the owner of the page to send your address again."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    confirmRecipient: {
        parameters: {
            query: {
                /** @description Until when it works, in seconds since 1970. */
                expires: string;
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A recipient's id. */
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recipient is confirmed, as it may have been before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, its recipient has been removed, or its deployment has been deleted. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the owner of the page has removed your address, and no mail will come."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link has expired. */
            410: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "This link has expired: it works for 7 days. If you want the mails, ask the owner of the page to send your address again."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    askToMoveToSpam: {
        parameters: {
            query: {
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A submission's id. */
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page with a button, which posts to the same address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, or the submission is in the spam folder, or has been deleted. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the submission is in the spam folder already, or has been deleted."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    moveToSpam: {
        parameters: {
            query: {
                /** @description A signature of the rest of the link. */
                signature: string;
            };
            header?: never;
            path: {
                /** @description A deployment's id. */
                deployId: string;
                /** @description A submission's id. */
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The submission is in the spam folder. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header. */
            400: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The path cannot be decoded: percent-encode it as UTF-8."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The link was changed, or the submission is in the spam folder, or has been deleted. */
            404: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Check that the link is complete. If it is, the submission is in the spam folder already, or has been deleted."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description An unexpected error. Only the log has the cause. */
            500: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "Internal server error"
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress. */
            503: {
                headers: {
                    "error-code": components["headers"]["ErrorCode"];
                    /** @description In how many seconds to try again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The service cannot use its database just now: try again shortly."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
        };
    };
    sendMcpMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "ping"
                 *     }
                 */
                "application/json": {
                    /** @constant */
                    jsonrpc?: "2.0";
                    /** @description Of a request; a notification has none. */
                    id?: string | number;
                    /** @description Such as `initialize`, `tools/list` or `tools/call`. */
                    method?: string;
                    /** @description The parameters of the method. */
                    params?: Record<string, never>;
                    /** @description Of an answer. It is accepted, and not used. */
                    result?: unknown;
                    /** @description Of an answer. It is accepted, and not used. */
                    error?: unknown;
                };
            };
        };
        responses: {
            /** @description The answer to a request. An error of a tool, too, with `isError` in the result. */
            200: {
                headers: {
                    /** @description What the owner should know and no field says, if there is anything: a sentence, or several with `; ` between them. */
                    "formhost-notice"?: string;
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": 1,
                     *       "result": {}
                     *     }
                     */
                    "application/json": components["schemas"]["JsonRpcAnswer"];
                };
            };
            /** @description A notification, or an answer, was accepted. */
            202: {
                headers: {
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadMessage"];
            401: components["responses"]["Unauthorized"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            429: components["responses"]["TooManyUnknownKeys"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    mcpPreflight: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page may send messages. */
            204: {
                headers: {
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin"?: "*";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLlmsTxt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example # formhost */
                    "text/plain": string;
                };
            };
            /** @description The client has this version (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPlaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The addresses. */
            200: {
                headers: {
                    /** @description To the reference, `/llms.txt` and `/mcp`. */
                    Link?: "</openapi.json>; rel=\"service-desc\"; type=\"application/json\", </mcp>; rel=\"service-desc\"; title=\"MCP\", </docs>; rel=\"service-doc\"; type=\"text/html\", </llms.txt>; rel=\"service-doc\"; type=\"text/plain\"";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "service": "formhost",
                     *       "docs": "https://forms.example.org/docs",
                     *       "openapi": "https://forms.example.org/openapi.json",
                     *       "llms": "https://forms.example.org/llms.txt",
                     *       "mcp": "https://forms.example.org/mcp",
                     *       "dashboard": "https://forms.example.org/dashboard"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        service: "formhost";
                        /**
                         * Format: uri
                         * @description This reference, as a page that can send requests.
                         * @example https://forms.example.org/docs
                         */
                        docs: string;
                        /**
                         * Format: uri
                         * @description This reference, as OpenAPI 3.1.
                         * @example https://forms.example.org/openapi.json
                         */
                        openapi: string;
                        /**
                         * Format: uri
                         * @description All that an agent needs to know, in one page.
                         * @example https://forms.example.org/llms.txt
                         */
                        llms: string;
                        /**
                         * Format: uri
                         * @description Tools for agents, over the Model Context Protocol.
                         * @example https://forms.example.org/mcp
                         */
                        mcp: string;
                        /**
                         * Format: uri
                         * @description The dashboard, for people.
                         * @example https://forms.example.org/dashboard
                         */
                        dashboard: string;
                    };
                };
            };
            /** @description To `/dashboard`, for a browser (an Accept that names text/html). */
            302: {
                headers: {
                    /** @description To the reference, `/llms.txt` and `/mcp`. */
                    Link?: "</openapi.json>; rel=\"service-desc\"; type=\"application/json\", </mcp>; rel=\"service-desc\"; title=\"MCP\", </docs>; rel=\"service-doc\"; type=\"text/html\", </llms.txt>; rel=\"service-doc\"; type=\"text/plain\"";
                    Location?: "/dashboard";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReference: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The client has this version (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReferencePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for a browser. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description The client has this version (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSecurityTxt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contact of the operator. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example Contact: mailto:abuse@example.org
                     *     Expires: 2027-05-20T11:08:48.298Z
                     *     Preferred-Languages: en
                     */
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NoContact"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    isUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is up. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "1.0.0"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        /**
                         * @description The version of this service.
                         * @example 1.0.0
                         */
                        version: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
        };
    };
    isReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service is ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "ready";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    receiveSubmission: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery's id, the same on every attempt: a second request with it is a repetition. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": number;
                /** @description Standard Webhooks 1.0: `v1,` and the HMAC-SHA256, in base64, of `<webhook-id>.<webhook-timestamp>.<body>`, made with the bytes of the webhook's secret. For a day after a rotation there is one for each secret, with spaces between. */
                "webhook-signature": string;
                /** @description The delivery's id again. It marks requests of this service. */
                "formhost-delivery": string;
                /** @description The submission's id; a test has none. */
                "formhost-submission-id"?: string;
                /** @description The page's slug. */
                "formhost-slug": string;
                /** @description The address of the page. */
                "formhost-page-url": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "submission",
                 *       "deployment_id": "d_0VbbZBZKKTcBD17YQfyDgVGm",
                 *       "data": {
                 *         "name": "Ada",
                 *         "email": "ada@example.org"
                 *       },
                 *       "timestamp": "2026-11-21T11:08:48.298Z"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookPayload"];
            };
        };
        responses: {
            /** @description Switches the webhook off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived. The body is not used. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is tried again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSlackMessage: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery's id, the same on every attempt: a second request with it is a repetition. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": number;
                /** @description Standard Webhooks 1.0: `v1,` and the HMAC-SHA256, in base64, of `<webhook-id>.<webhook-timestamp>.<body>`, made with the bytes of the webhook's secret. For a day after a rotation there is one for each secret, with spaces between. */
                "webhook-signature": string;
                /** @description The delivery's id again. It marks requests of this service. */
                "formhost-delivery": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "blocks": [
                 *         {
                 *           "type": "header",
                 *           "text": {
                 *             "type": "plain_text",
                 *             "text": "New submission for spring-sale"
                 *           }
                 *         },
                 *         {
                 *           "type": "section",
                 *           "fields": [
                 *             {
                 *               "type": "mrkdwn",
                 *               "text": "*name*\nAda"
                 *             },
                 *             {
                 *               "type": "mrkdwn",
                 *               "text": "*email*\nada@example.org"
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "type": "context",
                 *           "elements": [
                 *             {
                 *               "type": "mrkdwn",
                 *               "text": "Submitted at 2026-11-21T11:08:48.298Z"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SlackPayload"];
            };
        };
        responses: {
            /** @description Switches the webhook off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery has arrived. The body is not used. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is tried again later. Redirects are not followed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
