// SPDX-License-Identifier: MIT
/*
 * The first process of every guest: mounts, loads modules, runs one command and reports over a port
 * of its own.
 *
 * What to do stands in /lab/job, words "key=value" that end with a NUL byte (lab/payload.py writes
 * them):
 *
 *	port=/dev/vport0p1	where frames go to and come from; a terminal line or a virtio port
 *	module=/modules/x.ko	load it, in this order
 *	env=NAME=VALUE		set it for the command
 *	user=1000		who runs it: this number is user and group
 *	stdin=null|pipe		nothing to read, or what the host sends
 *	pty=ROWS COLUMNS	run it on a terminal of this size instead of on pipes
 *	arg=WORD		the command, word by word
 *
 * A frame, in both directions, is one line and its payload; sum is the CRC-32 of zlib over type and
 * payload:
 *
 *	#TYPE NUMBER LENGTH SUM\n
 *	payload\n
 *
 * NUMBER counts the frames of a direction from 0, so lost ones are noticed, as lost bytes are by
 * length and sum. The console is never used for results: whatever the kernel says there cannot be
 * mistaken for them.
 *
 *	to the host	S started: uptime of the kernel in ns	o, e bytes of stdout, stderr	a
 *                                                              one input frame was taken
 *			q request of a program in the guest	k records of /dev/kmsg		!
 *                                                              init cannot go on
 *			X exit status in decimal; the last one
 *	from the host	i bytes for stdin	z end of stdin	w ROWS COLUMNS	r answer to a
 *                                                              request
 *
 * The host sends the next i only after an a: terminal lines drop what nobody fetches in time.
 *
 * Called by another name than init it is the client of the requests: "/lab/host unplug gpu"
 * (lab/proxies.py).
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define JOB_FILE "/lab/job"
#define REQUEST_PATH "/run/host"
#define PAYLOAD_BYTES 16384
#define WORDS 1024
#define PORT_WAIT_MS 10000
#define KMEMLEAK "/sys/kernel/debug/kmemleak"
#define LEAK_AGE_MS 5100
#define LEAK_LINES 200

/* What the job file asks for; the words live in the buffer that read_job() filled. */
static struct job {
	const char *port, *pty;
	const char *modules[64], *args[WORDS];
	size_t modules_n, args_n;
	uid_t user;
	bool has_stdin;
} job;

static struct port {
	int fd;
	unsigned int sent, received;
	/* Input that is not a whole frame yet. */
	char in[PAYLOAD_BYTES + 128];
	size_t in_bytes;
} port = { .fd = -1 };

/* The command: the ends that init holds; -1 when closed. */
static struct child {
	pid_t pid;
	int in, out, err;
	int status;
	bool is_pty, has_ended;
	/* Input taken from the port, not yet by the command. */
	char pending[PAYLOAD_BYTES];
	size_t pending_bytes, pending_done;
	bool has_eof;
} child = { .in = -1, .out = -1, .err = -1 };

/*
 * A program that asks for something of the host and waits for the answer; one at a time, the next
 * ones wait. Anybody may connect and then say nothing, so init never waits for it. Once its request
 * was passed on only the host's answer ends it.
 */
static struct {
	int listen, client;
	bool is_asked;
} requests = { .listen = -1, .client = -1 };

/* Over a frame's type and payload. */
static uint32_t sum_of(char type, const void *data, size_t bytes)
{
	/*
	 * Remainders of the 16 values of half a byte (reflected polynomial 0xedb88320, as zlib and
	 * IEEE 802.3 have it).
	 */
	static uint32_t table[16];
	const unsigned char *p = data;
	uint32_t sum = 0xffffffff;

	for (uint32_t i = 0; i < 16 && !table[15]; i++) {
		table[i] = i;
		for (int bit = 0; bit < 4; bit++)
			table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320 : table[i] >> 1;
	}
	sum = table[(sum ^ (unsigned char)type) & 15] ^ sum >> 4;
	sum = table[(sum ^ (unsigned char)type >> 4) & 15] ^ sum >> 4;
	while (bytes--) {
		sum = table[(sum ^ *p) & 15] ^ sum >> 4;
		sum = table[(sum ^ *p++ >> 4) & 15] ^ sum >> 4;
	}
	return ~sum;
}

static int write_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, data, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = fd, .events = POLLOUT };

			poll(&p, 1, 1000);
			continue;
		}
		if (n <= 0)
			return -errno;
		data += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static void send_frame(char type, const void *payload, size_t bytes)
{
	static char frame[PAYLOAD_BYTES + 128];
	int n = snprintf(frame, sizeof(frame), "#%c %u %zu %08x\n", type, port.sent++, bytes,
			 (unsigned int)sum_of(type, payload, bytes));

	memcpy(frame + n, payload, bytes);
	frame[(size_t)n + bytes] = '\n';
	write_all(port.fd, frame, (size_t)n + bytes + 1);
}

__attribute__((format(printf, 2, 3))) static void send_text(char type, const char *format, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	send_frame(type, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void wait_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

/* Ends the machine. The host has what it needs by now, or reads the sentence on the console. */
__attribute__((noreturn)) static void power_off(void)
{
	if (port.fd >= 0 && isatty(port.fd))
		tcdrain(port.fd);
	/* The host ends QEMU when it has the last frame; a machine without it ends itself. */
	wait_ms(2000);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (port.fd >= 0)
		send_text('!', "%s", text);
	dprintf(STDERR_FILENO, "lab init: %s\n", text);
	power_off();
}

static void mount_at(const char *type, const char *path, unsigned long flags, const char *data,
		     bool is_needed)
{
	mkdir(path, 0755);
	if (mount(type, path, type, flags, data) < 0 && is_needed && errno != EBUSY)
		die("cannot mount %s on %s: %s", type, path, strerror(errno));
}

static void mount_all(void)
{
	static const char *const links[][2] = {
		{ "/dev/fd", "/proc/self/fd" },
		{ "/dev/stdin", "/proc/self/fd/0" },
		{ "/dev/stdout", "/proc/self/fd/1" },
		{ "/dev/stderr", "/proc/self/fd/2" },
	};

	mount_at("proc", "/proc", 0, NULL, true);
	mount_at("sysfs", "/sys", 0, NULL, true);
	mount_at("devtmpfs", "/dev", 0, NULL, true);
	mount_at("devpts", "/dev/pts", 0, "ptmxmode=0666,gid=5,mode=620", true);
	mount_at("tmpfs", "/run", 0, "mode=755", true);
	mount_at("tmpfs", "/tmp", 0, "mode=1777", true);
	mount_at("tmpfs", "/dev/shm", 0, "mode=1777", false);
	mount_at("debugfs", "/sys/kernel/debug", 0, NULL, false);
	mount_at("tracefs", "/sys/kernel/tracing", 0, NULL, false);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (symlink(links[i][1], links[i][0]) < 0 && errno != EEXIST)
			die("cannot make %s: %s", links[i][0], strerror(errno));
}

static char *read_file(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text;

	if (fd < 0 || fstat(fd, &st) < 0)
		die("cannot read %s: %s", path, strerror(errno));
	text = malloc((size_t)st.st_size + 1);
	if (!text || read(fd, text, (size_t)st.st_size) != st.st_size)
		die("cannot read the %lld bytes of %s", (long long)st.st_size, path);
	text[st.st_size] = '\0';
	*bytes = (size_t)st.st_size;
	close(fd);
	return text;
}

static void take_word(char *key, char *value)
{
	if (strcmp(key, "port") == 0)
		job.port = value;
	else if (strcmp(key, "module") == 0 &&
		 job.modules_n < sizeof(job.modules) / sizeof(*job.modules))
		job.modules[job.modules_n++] = value;
	else if (strcmp(key, "arg") == 0 && job.args_n < WORDS - 1)
		job.args[job.args_n++] = value;
	else if (strcmp(key, "env") == 0)
		putenv(value);
	else if (strcmp(key, "user") == 0)
		job.user = (uid_t)strtoul(value, NULL, 10);
	else if (strcmp(key, "stdin") == 0)
		job.has_stdin = strcmp(value, "pipe") == 0;
	else if (strcmp(key, "pty") == 0)
		job.pty = value;
	else
		die("%s: cannot take '%s=%s'", JOB_FILE, key, value);
}

static void read_job(void)
{
	size_t bytes;
	char *text = read_file(JOB_FILE, &bytes);

	for (char *word = text; word < text + bytes; word += strlen(word) + 1) {
		char *key = word, *equals = strchr(word, '=');

		if (!equals)
			die("%s: '%s' has no '='", JOB_FILE, word);
		word = equals + 1;
		*equals = '\0';
		take_word(key, word);
	}
	if (!job.port || !job.args_n)
		die("%s names no port or no command", JOB_FILE);
}

static void load_modules(void)
{
	for (size_t i = 0; i < job.modules_n; i++) {
		int fd = open(job.modules[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST))
			die("cannot load %s: %s", job.modules[i], strerror(errno));
		close(fd);
	}
}

static void make_raw(int fd)
{
	struct termios t;

	if (tcgetattr(fd, &t) < 0)
		return;
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	t.c_cflag &= ~(tcflag_t)CRTSCTS;
	cfsetspeed(&t, B115200);
	tcsetattr(fd, TCSANOW, &t);
	tcflush(fd, TCIOFLUSH);
}

/*
 * A virtio port appears some time after its driver was loaded, and is connected some time after
 * that.
 */
static void open_port(void)
{
	for (int waited = 0;; waited += 5) {
		struct pollfd p;

		port.fd = open(job.port, O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (port.fd >= 0) {
			p = (struct pollfd){ .fd = port.fd, .events = POLLOUT };
			if (poll(&p, 1, 0) == 1 && !(p.revents & (POLLHUP | POLLERR)))
				break;
			close(port.fd);
			port.fd = -1;
			errno = ENOTCONN;
		}
		if (waited >= PORT_WAIT_MS)
			die("cannot open the port %s: %s", job.port, strerror(errno));
		wait_ms(5);
	}
	make_raw(port.fd);
}

static void raise_loopback(void)
{
	struct {
		char name[16];
		short flags;
		char rest[22];
	} request = { "lo", 1 /* IFF_UP */, "" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	ioctl(fd, 0x8914 /* SIOCSIFFLAGS */, &request);
	close(fd);
}

/* The names of busybox's programs, as links in /bin. */
static void install_busybox(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execl("/bin/busybox", "busybox", "--install", "-s", "/bin", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die("/bin/busybox does not install itself");
}

static void listen_for_requests(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = REQUEST_PATH };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 16) < 0)
		die("cannot listen on %s: %s", REQUEST_PATH, strerror(errno));
	chmod(REQUEST_PATH, 0666);
	requests.listen = fd;
}

static void become_user(void)
{
	gid_t group = job.user;
	const char *home = job.user ? "/home/user" : "/root";

	setenv("HOME", home, 1);
	setenv("USER", job.user ? "user" : "root", 1);
	if (!job.user)
		return;
	if (setgroups(1, &group) < 0 || setgid(group) < 0 || setuid(job.user) < 0) {
		dprintf(STDERR_FILENO, "lab init: cannot become user %u: %s\n", job.user,
			strerror(errno));
		_exit(125);
	}
}

__attribute__((noreturn)) static void become_command(int in, int out, int err)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setsid();
	if (job.pty)
		ioctl(in, TIOCSCTTY, 0);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	become_user();
	if (chdir("/lab") < 0)
		_exit(125);
	execvp(job.args[0], (char *const *)job.args);
	dprintf(STDERR_FILENO, "%s: %s\n", job.args[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		die("cannot make a pipe: %s", strerror(errno));
}

/*
 * The number that *text begins with, and *text behind it and one blank; false when there is none up
 * to @most.
 */
static bool take_number(char **text, int base, unsigned long most, unsigned long *out)
{
	char *end;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*out = strtoul(*text, &end, base);
	if (errno || end == *text || *out > most || (*end != ' ' && *end != '\0'))
		return false;
	*text = end + (*end == ' ');
	return true;
}

static void set_size(const char *words)
{
	unsigned long rows, columns;
	struct winsize size = { 0 };
	char copy[32], *text = copy;

	snprintf(copy, sizeof(copy), "%s", words);
	if (!child.is_pty || !take_number(&text, 10, USHRT_MAX, &rows) ||
	    !take_number(&text, 10, USHRT_MAX, &columns))
		return;
	size.ws_row = (unsigned short)rows;
	size.ws_col = (unsigned short)columns;
	ioctl(child.out, TIOCSWINSZ, &size);
}

static void start_on_pty(void)
{
	int host = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), guest;
	const char *name;

	if (host < 0 || grantpt(host) < 0 || unlockpt(host) < 0)
		die("cannot make a terminal: %s", strerror(errno));
	name = ptsname(host);
	guest = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	if (guest < 0)
		die("cannot open the terminal: %s", strerror(errno));
	if (fchown(guest, job.user, 5) < 0)
		die("cannot give the terminal to user %u: %s", job.user, strerror(errno));
	child.is_pty = true;
	child.out = host;
	child.in = host;
	set_size(job.pty);
	child.pid = fork();
	if (child.pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (child.pid == 0)
		become_command(guest, guest, guest);
	close(guest);
}

static void start_on_pipes(void)
{
	int in[2] = { -1, -1 }, out[2], err[2];

	make_pipe(out);
	make_pipe(err);
	if (job.has_stdin)
		make_pipe(in);
	else
		in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	child.pid = fork();
	if (child.pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (child.pid == 0)
		become_command(in[0], out[1], err[1]);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	child.in = in[1];
	child.out = out[0];
	child.err = err[0];
}

static void start_command(void)
{
	if (job.pty)
		start_on_pty();
	else
		start_on_pipes();
	fcntl(child.out, F_SETFL, O_NONBLOCK);
	if (child.err >= 0)
		fcntl(child.err, F_SETFL, O_NONBLOCK);
	if (child.in >= 0)
		fcntl(child.in, F_SETFL, O_NONBLOCK);
}

/* True when there may be more. */
static bool pass_output(int *fd, char type)
{
	static char buffer[PAYLOAD_BYTES];
	ssize_t n;

	if (*fd < 0)
		return false;
	n = read(*fd, buffer, sizeof(buffer));
	if (n > 0) {
		send_frame(type, buffer, (size_t)n);
		return true;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	/*
	 * A terminal without a process says EIO; a shell may still start another one on it, so init
	 * keeps it until the end.
	 */
	if (child.is_pty && !child.has_ended) {
		wait_ms(10);
		return false;
	}
	if (!child.is_pty)
		close(*fd);
	*fd = -1;
	return false;
}

static void close_input(void)
{
	if (child.in >= 0 && !child.is_pty)
		close(child.in);
	child.in = -1;
	child.pending_bytes = 0;
}

static void feed_command(void)
{
	size_t left = child.pending_bytes - child.pending_done;
	ssize_t n = 0;

	if (left && child.in >= 0)
		n = write(child.in, child.pending + child.pending_done, left);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		/* The command does not want it: swallow it, or the host waits for ever. */
		close_input();
		n = (ssize_t)left;
	}
	if (n > 0)
		child.pending_done += (size_t)n;
	if (left && (child.in < 0 || child.pending_done >= child.pending_bytes)) {
		child.pending_bytes = child.pending_done = 0;
		send_frame('a', "", 0);
	}
	if (!child.pending_bytes && child.has_eof && !child.is_pty)
		close_input();
}

static void take_input(const char *payload, size_t bytes)
{
	if (child.in < 0 || !bytes) {
		send_frame('a', "", 0);
		return;
	}
	memcpy(child.pending, payload, bytes);
	child.pending_bytes = bytes;
	child.pending_done = 0;
	feed_command();
}

static void forget_client(void)
{
	close(requests.client);
	requests.client = -1;
	requests.is_asked = false;
}

static void answer_request(const char *payload, size_t bytes)
{
	if (requests.client < 0)
		return;
	/*
	 * It is short and fits into the socket; who does not want it any more has closed its end.
	 */
	(void)!send(requests.client, payload, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
	forget_client();
}

static void take_frame(char type, char *payload, size_t bytes)
{
	switch (type) {
	case 'i':
		take_input(payload, bytes);
		break;
	case 'z':
		child.has_eof = true;
		feed_command();
		break;
	case 'w':
		payload[bytes] = '\0';
		set_size(payload);
		break;
	case 'r':
		answer_request(payload, bytes);
		break;
	default:
		die("the host sent a frame of unknown type '%c'", type);
	}
}

/* The head of a frame, in the line @text. */
struct head {
	char type;
	unsigned long number, bytes, sum;
};

static bool parse_head(char *text, struct head *h)
{
	if (text[0] != '#' || !text[1] || text[2] != ' ')
		return false;
	h->type = text[1];
	text += 3;
	return take_number(&text, 10, UINT_MAX, &h->number) &&
	       take_number(&text, 10, PAYLOAD_BYTES, &h->bytes) &&
	       take_number(&text, 16, UINT32_MAX, &h->sum) && !*text;
}

/* One frame from the front of port.in; false when there is no whole one. */
static bool take_one(void)
{
	char *end = memchr(port.in, '\n', port.in_bytes), *payload;
	struct head h;
	size_t whole;

	if (!end) {
		if (port.in_bytes > 64)
			die("the host sent %zu bytes that are no frame", port.in_bytes);
		return false;
	}
	*end = '\0';
	if (!parse_head(port.in, &h))
		die("the host sent '%s', which is no frame", port.in);
	*end = '\n';
	payload = end + 1;
	whole = (size_t)(payload - port.in) + h.bytes + 1;
	if (port.in_bytes < whole)
		return false;
	if (h.number != port.received++ || sum_of(h.type, payload, h.bytes) != h.sum ||
	    payload[h.bytes] != '\n')
		die("frame %lu of the host is damaged, or one before it is lost", h.number);
	take_frame(h.type, payload, h.bytes);
	port.in_bytes -= whole;
	memmove(port.in, port.in + whole, port.in_bytes);
	return true;
}

static void read_port(void)
{
	ssize_t n = read(port.fd, port.in + port.in_bytes, sizeof(port.in) - 1 - port.in_bytes);

	/* Where the guest has slept, a virtio port is connected some time after all goes on. */
	if (n == 0)
		wait_ms(5);
	if (n <= 0) {
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			die("the host closed the port");
		return;
	}
	port.in_bytes += (size_t)n;
	while (take_one())
		;
}

/* Called when there is a client to take or its request to read. */
static void take_request(void)
{
	char text[512];
	ssize_t n;

	if (requests.client < 0) {
		requests.client =
			accept4(requests.listen, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		return;
	}
	n = read(requests.client, text, sizeof(text));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		forget_client();
		return;
	}
	requests.is_asked = true;
	send_frame('q', text, (size_t)n);
}

/* Where the next request comes from; nowhere while one is answered. */
static int request_fd(void)
{
	if (requests.client < 0)
		return requests.listen;
	return requests.is_asked ? -1 : requests.client;
}

/* Init is the parent of what others leave behind. */
static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != child.pid)
			continue;
		child.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		child.has_ended = true;
	}
}

enum { AT_SIGNAL, AT_PORT, AT_OUT, AT_ERR, AT_IN, AT_REQUEST, AT_N };

static void watch_once(int signals)
{
	bool wants_in = child.in >= 0 && child.pending_bytes;
	struct signalfd_siginfo info;
	struct pollfd p[AT_N] = {
		[AT_SIGNAL] = { .fd = signals, .events = POLLIN },
		[AT_PORT] = { .fd = port.fd, .events = POLLIN },
		[AT_OUT] = { .fd = child.out, .events = POLLIN },
		[AT_ERR] = { .fd = child.err, .events = POLLIN },
		[AT_IN] = { .fd = wants_in ? child.in : -1, .events = POLLOUT },
		[AT_REQUEST] = { .fd = request_fd(), .events = POLLIN },
	};

	if (poll(p, AT_N, -1) < 0 && errno != EINTR)
		die("cannot poll: %s", strerror(errno));
	if (p[AT_PORT].revents)
		read_port();
	if (p[AT_OUT].revents)
		pass_output(&child.out, 'o');
	if (p[AT_ERR].revents)
		pass_output(&child.err, 'e');
	if (p[AT_IN].revents)
		feed_command();
	if (p[AT_REQUEST].revents)
		take_request();
	if (p[AT_SIGNAL].revents && read(signals, &info, sizeof(info)) > 0)
		reap();
}

/* True where there is such a file and it took the text. */
static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_written;
}

/* What kmemleak found, a line a record, so that the kernel's log tells whose memory it is. */
static void log_leaks(void)
{
	FILE *leaks = fopen(KMEMLEAK, "re");
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	char line[256];

	/* The kernel takes ten lines of a program in five seconds, unless it is told. */
	write_text("/proc/sys/kernel/printk_devkmsg", "on\n");
	for (int n = 0; leaks && fd >= 0 && n < LEAK_LINES && fgets(line, sizeof(line), leaks); n++)
		(void)!write(fd, line, strlen(line));
	if (leaks)
		fclose(leaks);
	if (fd >= 0)
		close(fd);
}

/*
 * On a kernel with kmemleak: look for memory that nobody refers to any more. A block counts when it
 * is five seconds old and has not changed since the scan before (mm/kmemleak.c of Linux), hence two
 * scans, the last one as late. Its result stands in the log, which the host reads.
 */
static void find_leaks(void)
{
	if (!write_text(KMEMLEAK, "scan"))
		return;
	wait_ms(LEAK_AGE_MS);
	write_text(KMEMLEAK, "scan");
	log_leaks();
}

/*
 * All records since boot. One that was overwritten before it was read is told, or a clean log would
 * prove nothing.
 */
static void send_kernel_log(void)
{
	static char batch[PAYLOAD_BYTES];
	size_t bytes = 0;
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		die("cannot read the kernel's log: %s", strerror(errno));
	for (;;) {
		if (sizeof(batch) - bytes < 8192) {
			send_frame('k', batch, bytes);
			bytes = 0;
		}
		n = read(fd, batch + bytes, sizeof(batch) - bytes);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		bytes += (size_t)n;
	}
	send_frame('k', batch, bytes);
	close(fd);
}

static int run_client(int argc, char **argv)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = REQUEST_PATH };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[512] = "", answer[512];
	size_t bytes = 0;
	ssize_t n;

	if (argc < 2 || !*argv[1]) {
		fprintf(stderr, "host: name what is asked of the host: %s REQUEST\n", argv[0]);
		return 125;
	}
	for (int i = 1; i < argc; i++)
		bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes, "%s%s",
					  i > 1 ? " " : "", argv[i]),
			bytes = bytes < sizeof(text) ? bytes : sizeof(text) - 1;
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    write_all(fd, text, bytes) < 0) {
		fprintf(stderr, "host: cannot ask the host: %s\n", strerror(errno));
		return 125;
	}
	bytes = 0;
	while ((n = read(fd, answer + bytes, sizeof(answer) - 1 - bytes)) > 0)
		bytes += (size_t)n;
	answer[bytes] = '\0';
	if (strncmp(answer, "ok", 2) == 0) {
		printf("%s\n", answer);
		return 0;
	}
	fprintf(stderr, "host: %s\n", bytes ? answer : "no answer");
	return 1;
}

static int watch_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		die("cannot watch for signals: %s", strerror(errno));
	return fd;
}

int main(int argc, char **argv)
{
	struct timespec up;
	int signals;

	if (getpid() != 1)
		return run_client(argc, argv);
	mount_all();
	read_job();
	install_busybox();
	load_modules();
	open_port();
	clock_gettime(CLOCK_BOOTTIME, &up);
	send_text('S', "%lld", up.tv_sec * 1000000000LL + up.tv_nsec);
	raise_loopback();
	listen_for_requests();
	signals = watch_signals();
	start_command();
	while (!child.has_ended)
		watch_once(signals);
	/*
	 * What it had written before it ended is in the pipes; who still holds them is not waited
	 * for.
	 */
	while (pass_output(&child.out, 'o') || pass_output(&child.err, 'e'))
		;
	find_leaks();
	send_kernel_log();
	send_text('X', "%d", child.status);
	power_off();
}
