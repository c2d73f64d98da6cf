// SPDX-License-Identifier: MIT
/*
 * XML by expat. Nothing of a file is believed: its size, how deep elements are in each other, how
 * many files import each other, and all memory are bounded, and entities of its own are refused, as
 * no database has any and they are how a small file becomes a large one.
 */
#include "trace/lib/regdb/node.h"

#include <errno.h>
#include <fcntl.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/grow.h"
#include "base/common/library.h"
#include "base/common/text.h"
#include "base/os/file.h"
#include "trace/lib/base/context.h"
#include "trace/lib/regdb/model.h"

#define PIECE_BYTES 65536
/*
 * Of a tag with its attributes, or of a comment. expat begins anew with one that is not whole after
 * each piece, until 2.6.0: 16 MB of one attribute took seconds (CVE-2023-52425).
 */
#define TOKEN_BYTES (4 * PIECE_BYTES)
#define FILES 4096u
#define PATH_BYTES 4096u

struct seen_file {
	uint64_t device, inode;
};

struct reader {
	struct ntime_trace_ctx *ctx;
	struct nti_arena *arena;
	const char *base; /* folder of what the user named */
	char folder[PATH_BYTES];
	struct seen_file *files;
	size_t file_count;
	uint32_t depth;	 /* of imports */
	bool is_lenient; /* going over a folder: XML of something else is passed over */
};

/* One file that is being parsed. */
struct parse {
	struct reader *r;
	XML_Parser parser;
	const char *file;
	struct nti_xml_node *stack[NTI_REGDB_DEPTH + 1];
	uint32_t depth;
	char text[NTI_TEXT_BYTES];
	size_t text_bytes;
	uint32_t text_depth; /* of the element whose text is kept; 0 none */
	bool is_foreign;     /* its root is not that of a database */
	int ret;
};

const char *nti_xml_node_get(const struct nti_xml_node *n, const char *name)
{
	uint32_t i;

	for (i = 0; i < n->attribute_count; i++)
		if (strcmp(n->attributes[i].name, name) == 0)
			return n->attributes[i].value;
	return NULL;
}

static int no_memory(struct reader *r)
{
	if (r->arena->is_full)
		return nti_error(&r->ctx->error, -E2BIG,
				 "the database is larger than %zu MiB once it is read",
				 r->arena->limit >> 20);
	return nti_error(&r->ctx->error, -ENOMEM, "no memory for the database");
}

static void stop(struct parse *p, int ret)
{
	if (!p->ret)
		p->ret = ret;
	XML_StopParser(p->parser, XML_FALSE);
}

static int read_file(struct reader *r, int fd, const char *path, struct nti_xml_node *into);

/* "DIR/NAME" into @out; @bytes of @dir count. False when it is too long. */
static bool join(char *out, const char *dir, size_t bytes, const char *name)
{
	size_t n = strlen(name);

	if (bytes + 1 + n + 1 > PATH_BYTES)
		return false;
	memcpy(out, dir, bytes);
	out[bytes] = '/';
	memcpy(out + bytes + 1, name, n + 1);
	return true;
}

/* Bytes of the folder that @path, so many bytes long, is in; 0 when it names none. */
static size_t folder_of(const char *path, size_t bytes)
{
	while (bytes && path[bytes - 1] != '/')
		bytes--;
	return bytes ? bytes - 1 : 0;
}

static bool is_xml(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && strcmp(name + n - 4, ".xml") == 0;
}

/*
 * Open @name in folder @dir, so many bytes of it, and put the path to @out. What lies below the
 * database's folder may name each other; above it, where only a file was named, plain names are
 * looked for, and XML in folders, for the database's root may be there. A descriptor or -errno;
 * -EXDEV: it leads out of the folder.
 */
static int open_in(const struct reader *r, const char *dir, size_t bytes, const char *name,
		   char *out)
{
	size_t base = strlen(r->base);
	char folder[PATH_BYTES];

	if (!join(out, dir, bytes, name))
		return -ENAMETOOLONG;
	if (bytes >= base && memcmp(dir, r->base, base) == 0 && (bytes == base || dir[base] == '/'))
		return nti_file_open_beneath(r->base, out + base + 1);
	if (strchr(name, '/') && !is_xml(name))
		return -ENOENT;
	memcpy(folder, dir, bytes);
	folder[bytes] = '\0';
	return nti_file_open_beneath(folder, name);
}

/* Looking elsewhere would not help: the file may well be where it was looked for. */
static bool is_final(int error)
{
	return error == -EXDEV || error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

/*
 * Files that are not in a repository of databases but made when it is built, where it puts them
 * beside the database's folder, and how to make one by hand.
 */
static const struct made_file {
	const char *name;
	const char *folder[2];
	const char *how;
} made_files[] = {
	/* CMakeLists.txt of envytools; in-source builds and those in a folder "build" */
	{ "nvchipsets.xml",
	  { "rnndb-generated", "build/rnndb-generated" },
	  "the build of envytools makes it: in its checkout run "
	  "'python3 -m ssot.gen_rnndb_nvchipsets rnndb/nvchipsets.xml'" },
};

static const struct made_file *find_made(const char *name)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(made_files); i++) {
		if (strcmp(made_files[i].name, name) == 0)
			return &made_files[i];
	}
	return NULL;
}

/* A made file in folder @dir, of which @bytes count. A descriptor or -errno. */
static int open_made(const struct made_file *made, const char *dir, size_t bytes, char *out)
{
	char folder[PATH_BYTES];
	int fd = -ENOENT;
	size_t i;

	for (i = 0; fd < 0 && i < NTI_ARRAY_SIZE(made->folder); i++) {
		if (!join(folder, dir, bytes, made->folder[i]) ||
		    !join(out, folder, strlen(folder), made->name))
			return -ENAMETOOLONG;
		fd = nti_file_open_beneath(folder, made->name);
	}
	return fd;
}

/* In the folders that rnn of envytools looks in. */
static int open_on_path(const char *name, char *out)
{
	const char *path = secure_getenv("RNN_PATH"), *end;
	char folder[PATH_BYTES];
	int fd = -ENOENT;

	for (; path && *path && fd < 0 && !is_final(fd); path = *end ? end + 1 : end) {
		size_t bytes;

		end = strchrnul(path, ':');
		bytes = (size_t)(end - path);
		if (!bytes || !join(out, path, bytes, name))
			continue;
		memcpy(folder, path, bytes);
		folder[bytes] = '\0';
		fd = nti_file_open_beneath(folder, name);
	}
	return fd;
}

/*
 * Beside the file that imports, in the folders above it, beside what the user named, and where rnn
 * looks.
 */
static int open_import(const struct reader *r, const char *from, const char *name, char *out)
{
	const struct made_file *made = find_made(name);
	size_t bytes = folder_of(from, strlen(from));
	uint32_t up;
	int fd;

	if (name[0] == '/')
		return -EXDEV;
	for (up = 0; up < 4; up++) {
		fd = open_in(r, bytes ? from : ".", bytes ? bytes : 1, name, out);
		if (fd < 0 && !is_final(fd) && made)
			fd = open_made(made, bytes ? from : ".", bytes ? bytes : 1, out);
		if (fd >= 0 || is_final(fd))
			return fd;
		if (!bytes)
			break;
		bytes = folder_of(from, bytes);
	}
	fd = open_in(r, r->base, strlen(r->base), name, out);
	return fd >= 0 || is_final(fd) ? fd : open_on_path(name, out);
}

/* Why a file could not be imported. */
static int not_imported(const struct parse *p, const struct nti_xml_node *n, const char *name,
			int error)
{
	const struct made_file *made = find_made(name);
	struct nti_error *e = &p->r->ctx->error;

	if (error == -EXDEV)
		return nti_error(e, -EBADMSG,
				 "%s:%u: the imported file %s is not in the database's folder %s",
				 p->file, n->line, name, p->r->base);
	if (is_final(error))
		return nti_error(e, error, "%s:%u: the imported file %s cannot be opened: %s",
				 p->file, n->line, name, strerror(-error));
	return nti_error(e, -ENOENT,
			 "%s:%u: the imported file %s is neither beside it nor in %s%s%s", p->file,
			 n->line, name, p->r->base, made ? "; " : "", made ? made->how : "");
}

static void import(struct parse *p, struct nti_xml_node *n)
{
	const char *name = nti_xml_node_get(n, "file");
	char path[PATH_BYTES];
	int ret, fd;

	if (!name) {
		nti_trace_log(p->r->ctx,
			      "warning: %s:%u: an import names no file: it needs file=\"...\"",
			      p->file, n->line);
		return;
	}
	fd = open_import(p->r, p->file, name, path);
	if (fd < 0) {
		stop(p, not_imported(p, n, name, fd));
		return;
	}
	if (++p->r->depth > NTI_REGDB_DEPTH)
		ret = nti_error(&p->r->ctx->error, -E2BIG,
				"%s:%u: files import each other more than %u deep", p->file,
				n->line, NTI_REGDB_DEPTH);
	else
		ret = read_file(p->r, fd, path, n);
	p->r->depth--;
	nti_file_close(fd);
	if (ret)
		stop(p, ret);
}

static bool copy_attributes(struct parse *p, struct nti_xml_node *n, const char **attributes)
{
	struct nti_attribute *a;
	uint32_t i, count = 0;

	while (attributes[count * 2])
		count++;
	a = nti_arena_array(p->r->arena, count, sizeof(*a));
	if (!a)
		return false;
	for (i = 0; i < count; i++) {
		const char *name = attributes[i * 2], *value = attributes[i * 2 + 1];

		a[i].name = nti_arena_text(p->r->arena, name, strlen(name));
		a[i].value = nti_arena_text(p->r->arena, value, strlen(value));
		if (!a[i].name || !a[i].value)
			return false;
	}
	n->attributes = a;
	n->attribute_count = count;
	return true;
}

static struct nti_xml_node *new_node(struct parse *p, const char *tag, const char **attributes)
{
	struct nti_xml_node *n = nti_arena_new(p->r->arena, sizeof(*n));
	struct nti_xml_node *in = p->stack[p->depth];

	if (!n)
		return NULL;
	n->tag = nti_arena_text(p->r->arena, tag, strlen(tag));
	n->file = p->file;
	n->line = (uint32_t)XML_GetCurrentLineNumber(p->parser);
	if (!n->tag || !copy_attributes(p, n, attributes))
		return NULL;
	if (in->last)
		in->last->next = n;
	else
		in->first = n;
	in->last = n;
	return n;
}

static void XMLCALL on_start(void *arg, const char *tag, const char **attributes)
{
	struct parse *p = arg;
	const char *colon = strchr(tag, ':');
	struct nti_xml_node *n;

	if (p->ret)
		return;
	/* Namespaces are not asked for: "x:array" is "array". */
	if (colon)
		tag = colon + 1;
	if (p->depth == 0 && strcmp(tag, "database") != 0) {
		p->is_foreign = true;
		stop(p, nti_error(&p->r->ctx->error, -EBADMSG,
				  "%s: no database of registers: it begins with <%s>, not with "
				  "<database>",
				  p->file, tag));
		return;
	}
	if (p->depth == NTI_REGDB_DEPTH) {
		stop(p, nti_error(&p->r->ctx->error, -E2BIG,
				  "%s:%lu: elements are in each other more than %u deep", p->file,
				  (unsigned long)XML_GetCurrentLineNumber(p->parser),
				  NTI_REGDB_DEPTH));
		return;
	}
	n = new_node(p, tag, attributes);
	if (!n) {
		stop(p, no_memory(p->r));
		return;
	}
	p->stack[++p->depth] = n;
	if (!p->text_depth && (strcmp(tag, "brief") == 0 || strcmp(tag, "doc") == 0)) {
		p->text_depth = p->depth;
		p->text_bytes = 0;
	} else if (strcmp(tag, "import") == 0) {
		import(p, n);
	}
}

static void XMLCALL on_end(void *arg, const char *tag)
{
	struct parse *p = arg;

	(void)tag;
	if (p->ret)
		return;
	if (p->text_depth == p->depth) {
		while (p->text_bytes && p->text[p->text_bytes - 1] == ' ')
			p->text_bytes--;
		p->stack[p->depth]->text = nti_arena_text(p->r->arena, p->text, p->text_bytes);
		p->text_depth = 0;
		if (!p->stack[p->depth]->text)
			stop(p, no_memory(p->r));
	}
	p->depth--;
}

static void XMLCALL on_text(void *arg, const char *text, int bytes)
{
	struct parse *p = arg;
	int i;

	for (i = 0; p->text_depth && i < bytes && p->text_bytes < sizeof(p->text); i++) {
		bool is_blank = strchr(" \t\r\n", text[i]) != NULL;

		if (is_blank && (!p->text_bytes || p->text[p->text_bytes - 1] == ' '))
			continue;
		p->text[p->text_bytes++] = is_blank ? ' ' : text[i];
	}
}

static void XMLCALL on_entity(void *arg, const XML_Char *name, int is_parameter,
			      const XML_Char *value, int value_length, const XML_Char *base,
			      const XML_Char *system, const XML_Char *public,
			      const XML_Char *notation)
{
	struct parse *p = arg;

	(void)is_parameter, (void)value, (void)value_length, (void)base, (void)system, (void)public;
	(void)notation;
	stop(p, nti_error(&p->r->ctx->error, -EBADMSG,
			  "%s:%lu: the file declares an entity '%s', which databases must not",
			  p->file, (unsigned long)XML_GetCurrentLineNumber(p->parser), name));
}

/* What expat says is wrong, unless a handler said it better. */
static int parse_error(struct parse *p)
{
	if (p->ret)
		return p->ret;
	if (XML_GetErrorCode(p->parser) == XML_ERROR_NO_MEMORY)
		return no_memory(p->r);
	return nti_error(&p->r->ctx->error, -EBADMSG, "%s:%lu: not well-formed XML: %s", p->file,
			 (unsigned long)XML_GetCurrentLineNumber(p->parser),
			 XML_ErrorString(XML_GetErrorCode(p->parser)));
}

static int parse_all(struct parse *p, int fd)
{
	size_t total = 0;
	XML_Index at;
	ssize_t n;

	do {
		void *room = XML_GetBuffer(p->parser, PIECE_BYTES);

		if (!room)
			return no_memory(p->r);
		do
			n = nti_file_read(fd, room, PIECE_BYTES);
		while (n == -EINTR);
		if (n < 0)
			return nti_error(&p->r->ctx->error, (int)n, "%s cannot be read: %s",
					 p->file, strerror((int)-n));
		total += (size_t)n;
		if (total > NTI_REGDB_FILE_BYTES)
			return nti_error(&p->r->ctx->error, -E2BIG,
					 "%s exceeds the %zu MiB limit for databases", p->file,
					 NTI_REGDB_FILE_BYTES >> 20);
		if (XML_ParseBuffer(p->parser, (int)n, n == 0) != XML_STATUS_OK)
			return parse_error(p);
		/* Too many bytes belong to something that has not ended. -1: nothing is known. */
		at = XML_GetCurrentByteIndex(p->parser);
		if (at >= 0 && total - (size_t)at > TOKEN_BYTES)
			return nti_error(&p->r->ctx->error, -E2BIG,
					 "%s:%lu: a tag or comment exceeds the %u KiB limit for "
					 "databases",
					 p->file,
					 (unsigned long)XML_GetCurrentLineNumber(p->parser),
					 TOKEN_BYTES >> 10);
	} while (n);
	return 0;
}

static int parse_file(struct reader *r, int fd, const char *path, struct nti_xml_node *into)
{
	int ret = nti_library_need(&nti_lazy_expat, path, &r->ctx->error);
	struct parse *p = ret < 0 ? NULL : calloc(1, sizeof(*p));

	if (ret < 0)
		return ret;
	if (p) {
		p->r = r;
		p->parser = XML_ParserCreate(NULL);
		p->file = nti_arena_text(r->arena, path, strlen(path));
		p->stack[0] = into;
	}
	if (!p || !p->parser || !p->file) {
		ret = no_memory(r);
	} else {
		XML_SetUserData(p->parser, p);
		XML_SetElementHandler(p->parser, on_start, on_end);
		XML_SetCharacterDataHandler(p->parser, on_text);
		XML_SetEntityDeclHandler(p->parser, on_entity);
		ret = parse_all(p, fd);
		if (ret && p->is_foreign && r->is_lenient && r->depth == 0) {
			nti_trace_log(r->ctx, "regdb: %s is no database of registers", path);
			ret = 0;
		}
	}
	if (p && p->parser)
		XML_ParserFree(p->parser);
	free(p);
	return ret;
}

/* Note the file. 1: it was read before; -E2BIG, -ENOMEM. */
static int note_file(struct reader *r, const struct nti_file_state *state)
{
	size_t i;

	for (i = 0; i < r->file_count; i++)
		if (r->files[i].device == state->device && r->files[i].inode == state->inode)
			return 1;
	if (r->file_count == FILES)
		return nti_error(&r->ctx->error, -E2BIG, "the database has more than %u files",
				 FILES);
	if (!nti_grow(&r->files, r->file_count))
		return no_memory(r);
	r->files[r->file_count++] = (struct seen_file){ state->device, state->inode };
	return 0;
}

static int not_opened(struct reader *r, const char *path, int ret)
{
	return nti_error(&r->ctx->error, ret, "%s cannot be opened: %s", path, strerror(-ret));
}

/* @fd stays the caller's. */
static int read_file(struct reader *r, int fd, const char *path, struct nti_xml_node *into)
{
	struct nti_file_state state;
	int ret;

	if (nti_file_state(fd, &state) < 0 || !state.is_regular)
		ret = nti_error(&r->ctx->error, -EBADMSG, "%s is no file", path);
	else
		ret = note_file(r, &state);
	if (!ret)
		ret = parse_file(r, fd, path, into);
	return ret < 0 ? ret : 0;
}

/* A file that the user named. */
static int read_named(struct reader *r, const char *path, struct nti_xml_node *into)
{
	int fd = nti_file_open_any(path), ret;

	if (fd < 0)
		return not_opened(r, path, fd);
	ret = read_file(r, fd, path, into);
	nti_file_close(fd);
	return ret;
}

/* One that is found in the folder that he named. */
static int read_found(struct reader *r, const char *path, struct nti_xml_node *into)
{
	int fd = nti_file_open_beneath(r->base, path + strlen(r->base) + 1), ret;

	if (fd == -EXDEV)
		return nti_error(&r->ctx->error, -EBADMSG,
				 "%s leads out of the database's folder %s: name that file itself",
				 path, r->base);
	if (fd < 0)
		return not_opened(r, path, fd);
	ret = read_file(r, fd, path, into);
	nti_file_close(fd);
	return ret;
}

/* A folder that is gone over, and those in it. */
struct folder {
	struct reader *r;
	const char *path;
	struct nti_xml_node *into;
	uint32_t depth;
	int ret; /* of what was read, which has its sentence */
};

static int read_folder(struct reader *r, const char *path, struct nti_xml_node *into,
		       uint32_t depth);

static int read_name(void *arg, const char *name)
{
	struct folder *f = arg;
	struct nti_file_state state;
	char full[PATH_BYTES];

	if (name[0] == '.' || !join(full, f->path, strlen(f->path), name) ||
	    nti_file_state_of(full, &state) < 0)
		return 0;
	if (state.is_directory && f->depth < 8)
		f->ret = read_folder(f->r, full, f->into, f->depth + 1);
	else if (state.is_regular && is_xml(name))
		f->ret = read_found(f->r, full, f->into);
	return f->ret;
}

static int read_folder(struct reader *r, const char *path, struct nti_xml_node *into,
		       uint32_t depth)
{
	struct folder f = { .r = r, .path = path, .into = into, .depth = depth };
	int ret = nti_file_list(AT_FDCWD, path, read_name, &f);

	if (ret < 0 && !f.ret)
		return nti_error(&r->ctx->error, ret, "%s cannot be listed: %s", path,
				 strerror(-ret));
	return ret;
}

/* @name is a file in folder @path. */
static bool has_file(const char *path, const char *name, char *full)
{
	struct nti_file_state state;

	return join(full, path, strlen(path), name) && nti_file_state_of(full, &state) == 0 &&
	       state.is_regular;
}

static int read_path(struct reader *r, const char *path, struct nti_xml_node *into)
{
	char root[PATH_BYTES];
	size_t bytes = folder_of(path, strlen(path));
	struct nti_file_state state;
	int ret = nti_file_state_of(path, &state);

	if (ret < 0)
		return not_opened(r, path, ret);
	r->base = path;
	if (!state.is_directory) {
		memcpy(r->folder, ".", sizeof("."));
		if (bytes && bytes < sizeof(r->folder)) {
			memcpy(r->folder, path, bytes);
			r->folder[bytes] = '\0';
		}
		r->base = r->folder;
		return read_named(r, path, into);
	}
	if (has_file(path, "root.xml", root))
		return read_found(r, root, into);
	/* a checkout of envytools */
	if (has_file(path, "rnndb/root.xml", root) &&
	    join(r->folder, path, strlen(path), "rnndb")) {
		r->base = r->folder;
		return read_found(r, root, into);
	}
	r->is_lenient = true;
	return read_folder(r, path, into, 0);
}

int nti_nodes_read(struct ntime_trace_ctx *ctx, const char *path, struct nti_arena *arena,
		   struct nti_xml_node **out)
{
	struct reader r = { .ctx = ctx, .arena = arena };
	int ret;

	arena->limit = NTI_NODES_BYTES;
	*out = nti_arena_new(arena, sizeof(**out));
	if (!*out)
		return no_memory(&r);
	(*out)->tag = "";
	(*out)->file = path;
	ret = read_path(&r, path, *out);
	if (!ret && !r.file_count)
		ret = nti_error(&ctx->error, -ENOENT, "%s has no XML file", path);
	if (!ret && !(*out)->first)
		ret = nti_error(&ctx->error, -EBADMSG, "%s has no database of registers", path);
	free(r.files);
	return ret;
}
