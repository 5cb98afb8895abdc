const clean = text => text.replace(/^(?:\s*(?:and|or+else)[x-z]{2,}|not)?(?=end$)/gi, '');
print(clean('and xx'));
